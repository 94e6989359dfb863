// The frame of a command for the command line: its errors, its exit code, its version.
import { answerVersion } from '../../shared/version.ts'
import { ConfigError } from '../config/config.ts'

/** What the user can correct: printed as it is, without a stack. */
export class CommandRefused extends Error {}

const isPlain = (error: unknown): error is Error =>
  error instanceof CommandRefused ||
  error instanceof ConfigError ||
  (error instanceof TypeError && 'code' in error && String(error.code).startsWith('ERR_PARSE_ARGS'))

/** Call it once, as the last statement of the file that npm starts. */
export async function runCommand(main: () => Promise<void>): Promise<void> {
  answerVersion()
  try {
    await main()
  } catch (error) {
    process.exitCode = 1
    process.stderr.write(`${isPlain(error) ? error.message : String((error as Error)?.stack ?? error)}\n`)
  }
}
