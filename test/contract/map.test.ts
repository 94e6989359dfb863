// The maps of the code: the drawing of rooms in src/README.md has the order that the fences hold, and the ways through the
// code in README.md exist and are short.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from '../support/harness.ts'
import { features, roomOf, rooms } from './architecture/fences.ts'
import { root } from './architecture/sources.ts'

const readme = readFileSync(join(root, 'README.md'), 'utf8')

const sectionOf = (path: string, name: string): string => {
  const page = readFileSync(join(root, path), 'utf8')
  const text = new RegExp(`<!-- ${name} -->\\n([^]*?)<!-- /${name} -->`).exec(page)?.[1]
  assert.ok(text, `${path} lacks the section ${name}`)
  return text
}

interface Walk {
  readonly title: string
  /** What follows the line with the title. */
  readonly lines: readonly string[]
  readonly files: readonly string[]
}

const walks: readonly Walk[] = sectionOf('README.md', 'walks')
  .split(/^\*\*/m)
  .slice(1)
  .map((text) => {
    const [, ...lines] = text.split('\n').filter((line) => line !== '')
    const files = [...lines.join(' ').matchAll(/`([^`]+)`/g)].map(([, file = '']) => file)
    return { title: text.slice(0, text.indexOf('**')), lines, files }
  })

/** How often a walk comes back to a room that it had left. */
function returnsOf(files: readonly string[]): number {
  const left = new Set<string>()
  let [returns, here] = [0, '']
  for (const room of files.map(roomOf)) {
    if (room === here) continue
    if (left.has(room)) returns += 1
    left.add(here)
    here = room
  }
  return returns
}

/** Files and returns at most: a third fewer files than before there were features, and hardly a way back. */
const limits: Readonly<Record<string, { readonly files: number; readonly returns: number }>> = {
  'A ringing call': { files: 19, returns: 4 },
  'A send': { files: 35, returns: 8 },
  'A recipient of a campaign': { files: 16, returns: 4 },
}

describe('the ways through the code', () => {
  test('are the three that readers ask for', () => {
    assert.deepEqual(
      walks.map(({ title }) => title),
      Object.keys(limits),
    )
  })

  for (const { title, lines, files } of walks)
    test(`${title}: every file exists, and the way is short`, () => {
      assert.deepEqual(
        lines.filter((line) => !/^\d+\.(?: `[^` ]+`)+$/.test(line)),
        [],
        'only steps, and nothing in them but files',
      )
      assert.ok(files.length >= 15)
      assert.deepEqual(
        files.filter((file) => !existsSync(join(root, file))),
        [],
      )
      assert.equal(new Set(files).size, files.length, 'no file twice')
      const { files: most, returns } = limits[title] ?? assert.fail()
      assert.ok(files.length <= most, `${files.length} files`)
      assert.ok(returnsOf(files) <= returns, `${returnsOf(files)} returns`)
    })
})

test('the drawing names the rooms from top to bottom, as the fences have them', () => {
  const lines = sectionOf('src/README.md', 'rooms').split('\n')
  const drawn = Object.keys(rooms).filter(
    (room) =>
      /^(gateway|console|api|provider|contract|shared|platform)$/.test(room) || features.includes(room),
  )
  const places = drawn.map((room) =>
    lines.findIndex((line) => new RegExp(`(^|[ ►])${room}( |$)`).test(line.slice(0, 40))),
  )
  assert.equal(drawn.length, 13)
  assert.ok(
    places.every((place) => place >= 0),
    `${drawn} on lines ${places}`,
  )
  assert.deepEqual(
    places,
    [...places].sort((a, b) => a - b),
    `${drawn} on lines ${places}`,
  )
})

test('the table of the map names every room of the fences', () => {
  const cells = [...readme.matchAll(/^\| (.*?) \|/gm)].map(([, cell = '']) => cell).join(' ')
  const named = [...cells.matchAll(/`([^`]+)`/g)].map(([, room]) => room)
  // What runs in browsers has no line of its own, and the entry is named beside the worker.
  const lines = Object.keys(rooms).filter((room) => !/\/web$|^web\/browser$|^main\.ts$/.test(room))
  assert.deepEqual(
    lines.filter((room) => !named.includes(room)),
    [],
  )
})
