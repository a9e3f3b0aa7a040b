import { create } from './command.ts';
import { CreateError } from './create-error.ts';

const { stdin: input, stdout: output } = process;
try {
	output.write(await create(process.argv.slice(2), input.isTTY && output.isTTY ? { input, output } : undefined));
} catch (error) {
	process.exitCode = 1;
	const { code, message } = error as NodeJS.ErrnoException;
	// An error of the file system has a code and names its path.
	if (!(error instanceof CreateError) && code === undefined) throw error;
	process.stderr.write(`${message}\n`);
}
