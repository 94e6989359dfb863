// The functions of node:test, for files that share a process. While a file loads, its calls are recorded. They run
// later in a suite of the file's own, so that its hooks end with it.
import hooks from 'node:async_hooks'
import { inspect } from 'node:util'
import { queryObjects } from 'node:v8'

export type { TestContext } from 'node:test'

const node = await lightRunner()

/**
 * node:test follows every promise and timer, to know which test an uncaught error belongs to. That takes up to a third of the
 * CPU of a process. It has to know its own tests only: an uncaught error then fails the process, whose output has its stack.
 */
async function lightRunner() {
  for (const event of ['uncaughtException', 'unhandledRejection'] as const)
    process.on(event, (error) => {
      process.stderr.write(`${inspect(error)}\n`)
      process.exitCode = 1
    })
  const { createHook } = hooks
  hooks.createHook = ({ init }) =>
    createHook({
      init(id, type, trigger, resource) {
        if (type === 'Test') init?.(id, type, trigger, resource)
      },
    })
  try {
    return (await import('node:test')).default
  } finally {
    hooks.createHook = createHook
  }
}

type Release = () => unknown

let recorded: Release[] | undefined
let isOwnRunner = false
let isAlone = false
const releases: Release[] = []
const lastReleases: Release[] = []

/** A process whose tests are over has this long to end. */
const ENDING_MS = 20_000

const run = (all: Release[]) => Promise.all(all.splice(0).map((release) => release()))

function recording<Register extends (...args: never[]) => unknown>(register: Register): Register {
  const record = (...args: Parameters<Register>) => {
    if (recorded === undefined) {
      if (!isOwnRunner) releaseAtEnd()
      return register(...args)
    }
    recorded.push(() => register(...args))
    return undefined
  }
  return record as unknown as Register
}

/** For a file that node --test runs by itself. */
function releaseAtEnd(): void {
  if (isAlone) return
  isAlone = true
  node.after(() => run(releases).then(() => run(lastReleases)))
}

export const describe = recording(node.describe)
export const test = recording(node.test)
export const before = recording(node.before)
export const after = recording(node.after)
export const beforeEach = recording(node.beforeEach)
export const afterEach = recording(node.afterEach)

/** Runs `release` after the last test of the file. May be called in a hook or a test, unlike `after`. */
export const afterFile = (release: Release): void => void releases.push(release)

/** Runs `release` when the process ends: for modules that hold a resource for several files. */
export const afterAllFiles = (release: Release): void => void lastReleases.push(release)

/** Runs the files one after the other, each as a suite with the name of the file. */
export async function runFiles(
  files: readonly string[],
  load: (file: string) => Promise<unknown>,
): Promise<void> {
  isOwnRunner = true
  for (const file of files) {
    const calls: Release[] = []
    recorded = calls
    const failure = await load(file).then(
      () => undefined,
      (error: unknown) => ({ error }),
    )
    recorded = undefined
    // Resolves when the suite is over, however it ended.
    await node.describe(file, () => {
      if (failure)
        node.test('loads', () => {
          throw failure.error
        })
      for (const call of calls) call()
      node.after(() => run(releases))
    })
  }
  await run(lastReleases)
  endInTime()
}

/**
 * A test that fails may leave a server open. Its process fails with what is open, and does not wait for its limit. A timer
 * alone is named and fails nothing: it holds no port and no connection.
 */
function endInTime(): void {
  const ownTimer = setTimeout(() => {
    const open = process.getActiveResourcesInfo().filter((name) => name !== 'PipeWrap')
    const timers = queryObjects(ownTimer.constructor, { format: 'summary' }).filter(isWaiting)
    const lines = ['All tests are over, and the process does not end. Open are:', ...open, ...timers]
    process.stderr.write(`${lines.join('\n')}\n`)
    process.exit(open.every((name) => name === 'Timeout') ? undefined : 1)
  }, ENDING_MS).unref()
}

const isWaiting = (timer: string): boolean =>
  timer.includes('_destroyed: false') && timer.includes('[Symbol(refed)]: true')
