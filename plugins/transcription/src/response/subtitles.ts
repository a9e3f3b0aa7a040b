import type { TranscriptionSegment } from '../model.ts';

/** SubRip subtitles: number, times and text of each segment. */
export function srt(segments: readonly TranscriptionSegment[]): string {
	return segments
		.map(({ start, end, text }, index) => `${index + 1}\n${time(start, ',')} --> ${time(end, ',')}\n${line(text)}\n`)
		.join('\n');
}

/** WebVTT subtitles (W3C WebVTT §4.1). */
export function vtt(segments: readonly TranscriptionSegment[]): string {
	const cues = segments.map(
		({ start, end, text }) => `${time(start, '.')} --> ${time(end, '.')}\n${escaped(line(text))}\n`,
	);
	return `WEBVTT\n\n${cues.join('\n')}`;
}

/** `00:01:02,345` */
function time(seconds: number, mark: ',' | '.'): string {
	const ms = Math.max(0, Math.round(seconds * 1000));
	const pad = (value: number, length = 2) => String(Math.floor(value)).padStart(length, '0');
	return `${pad(ms / 3_600_000)}:${pad((ms / 60_000) % 60)}:${pad((ms / 1000) % 60)}${mark}${pad(ms % 1000, 3)}`;
}

/** One line without arrows: an empty line would end the cue, and an arrow would start another one. */
function line(text: string): string {
	return text.trim().replace(/\s+/g, ' ').replaceAll('-->', '->');
}

function escaped(text: string): string {
	return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
