// The release. A test compares it with package.json.
export const version = '0.2.0'

/** Every entry calls this first: with `--version` it prints the release and ends the process. */
export function answerVersion(): void {
  if (!process.argv.includes('--version')) return
  process.stdout.write(`switchboard ${version}\n`)
  process.exit(0)
}
