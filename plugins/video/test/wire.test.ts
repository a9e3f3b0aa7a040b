import type { Job } from '@plinth/core';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toVideo, videoSchema } from '../src/wire.ts';

const file = { key: 'jobs/x/1/video.mp4', mediaType: 'video/mp4', size: 3, sha256: '0'.repeat(64) };

function jobWith(part: Partial<Job>): Job {
	return {
		id: `video_${'0'.repeat(44)}`,
		kind: 'video',
		tenant: 't',
		principal: 'p',
		model: 'm',
		status: 'queued',
		input: { prompt: 'a cat', seconds: 4, size: '720x1280', reference: null, remixOf: null },
		result: null,
		error: null,
		progress: 0,
		checkpoint: null,
		attempt: 0,
		maxAttempts: 5,
		fence: 0,
		cancelRequested: false,
		createdAt: 1_767_225_600_999,
		startedAt: null,
		completedAt: null,
		expiresAt: null,
		expired: false,
		...part,
	};
}

const completed: Partial<Job> = {
	status: 'completed',
	progress: 1,
	result: { video: file, poster: null, warnings: [] },
	completedAt: 1_767_225_601_500,
	expiresAt: 1_767_312_001_500,
};

describe('the video object', () => {
	it('has all 13 members while it is queued', () => {
		expect(toVideo(jobWith({}), 'fraction')).toStrictEqual({
			id: `video_${'0'.repeat(44)}`,
			object: 'video',
			model: 'm',
			status: 'queued',
			progress: 0,
			progress_percent: 0,
			created_at: 1_767_225_600,
			completed_at: null,
			expires_at: null,
			prompt: 'a cat',
			size: '720x1280',
			seconds: '4',
			remixed_from_video_id: null,
			error: null,
		});
	});

	it('has progress 1 and whole seconds when it is completed', () => {
		const video = toVideo(jobWith(completed), 'fraction');
		expect(video.progress).toBe(1);
		expect(video.progress_percent).toBe(100);
		expect(video.completed_at).toBe(1_767_225_601);
		expect(video.expires_at).toBe(1_767_312_001);
	});

	it('has progress in percent when the option says so', () => {
		const running = jobWith({ status: 'in_progress', progress: 0.426 });
		expect(toVideo(running, 'percent').progress).toBe(42);
		expect(toVideo(running, 'fraction').progress).toBe(0.426);
		expect(toVideo(jobWith(completed), 'percent').progress).toBe(100);
	});

	it('has the error of a failure, and the source of a remix', () => {
		const failed = jobWith({
			status: 'failed',
			error: { code: 'model_error', message: 'out of memory' },
			input: {
				prompt: 'p',
				seconds: 12,
				size: '640x480',
				reference: null,
				remixOf: { id: 'video_1', prompt: 'q' },
			},
		});
		const video = toVideo(failed, 'fraction');
		expect(video.error).toStrictEqual({ code: 'model_error', message: 'out of memory' });
		expect(video.remixed_from_video_id).toBe('video_1');
		expect(video.seconds).toBe('12');
	});

	it('has warnings only when there are some', () => {
		const result = { video: file, poster: null, warnings: ['no sound'] };
		expect(toVideo(jobWith({ ...completed, result }), 'fraction').warnings).toEqual(['no sound']);
		expect(toVideo(jobWith(completed), 'fraction')).not.toHaveProperty('warnings');
	});

	it('matches its schema, and is not completed early', () => {
		const fractions = fc.double({ min: 0, max: 1, noNaN: true });
		fc.assert(
			fc.property(fractions, fc.constantFrom('fraction', 'percent'), (progress, scale) => {
				const video = toVideo(jobWith({ status: 'in_progress', progress }), scale);
				expect(videoSchema.parse(video)).toEqual(video);
				expect(video.progress).toBeLessThan(scale === 'percent' ? 100 : 1);
				expect(video.progress_percent).toBeLessThan(100);
			}),
		);
	});
});
