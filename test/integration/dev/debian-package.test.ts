import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { unpackDebian } from '../../../src/dev/embedded/debian-package.ts'
import { debianRedis } from '../../../src/dev/embedded/redis-binaries.ts'
import { describe, test } from '../../support/harness.ts'
import { temporaryFolder } from './owner-process.ts'

const hasApt = ['apt-get', 'dpkg-deb'].every((name) => existsSync(`/usr/bin/${name}`))

/** An archive on disk whose redis-tools holds a script as server: the real tools, without a network. */
function makeArchive({ libraries = true } = {}): string {
  const archive = temporaryFolder()
  const tree = join(temporaryFolder(), 'redis-tools')
  for (const dir of ['DEBIAN', 'usr/bin', ...(libraries ? ['usr/lib/x86_64-linux-gnu'] : [])])
    mkdirSync(join(tree, dir), { recursive: true })
  const control =
    'Package: redis-tools\nVersion: 9:7.0.0\nArchitecture: all\nMaintainer: a <a@b.c>\nDescription: a\n'
  writeFileSync(join(tree, 'DEBIAN', 'control'), control)
  const server = '#!/bin/sh\necho "Redis server v=7.0.0 $LD_LIBRARY_PATH $*"\n'
  writeFileSync(join(tree, 'usr', 'bin', 'redis-check-rdb'), server, { mode: 0o755 })
  const file = join(archive, 'redis-tools.deb')
  execFileSync('dpkg-deb', ['--root-owner-group', '--build', tree, file], { stdio: 'ignore' })
  const sha256 = createHash('sha256').update(readFileSync(file)).digest('hex')
  const entry = `Filename: ./redis-tools.deb\nSize: ${statSync(file).size}\nSHA256: ${sha256}\n`
  writeFileSync(join(archive, 'Packages'), control + entry)
  return archive
}

// apt reads this variable, so the product needs no setting for the test.
function useSource(source: string): void {
  const dir = temporaryFolder()
  mkdirSync(join(dir, 'lists', 'partial'), { recursive: true })
  writeFileSync(join(dir, 'sources.list'), `${source}\n`)
  const config = [
    `Dir::Etc::SourceList "${join(dir, 'sources.list')}";`,
    'Dir::Etc::SourceParts "/dev/null";',
    `Dir::State::Lists "${join(dir, 'lists')}";`,
  ]
  writeFileSync(join(dir, 'apt.conf'), config.join('\n'))
  Object.assign(process.env, { APT_CONFIG: join(dir, 'apt.conf') })
}

const unpackDebianRedis = (cacheDir: string) => unpackDebian(debianRedis, cacheDir)

describe('a Debian package', { skip: hasApt ? false : 'this system has no apt-get' }, () => {
  test('is unpacked twice at once without harm, again over itself, and runs wherever the folder is moved', async () => {
    useSource(`deb [trusted=yes] copy:${makeArchive()} ./`)
    const cacheDir = temporaryFolder()
    await Promise.all([unpackDebianRedis(cacheDir), unpackDebianRedis(cacheDir)])
    await unpackDebianRedis(cacheDir)
    assert.equal(readdirSync(cacheDir).length, 2, 'a link and what it leads to')

    const moved = join(temporaryFolder(), 'moved')
    cpSync(join(cacheDir, 'redis'), moved, { recursive: true, dereference: true })
    const output = execFileSync(join(moved, 'redis-server'), ['--version'], { encoding: 'utf8' })
    assert.equal(output, `Redis server v=7.0.0 ${moved}/root/usr/lib/x86_64-linux-gnu --version\n`)
  })

  test('needs no libraries of its own where the machine has them', async () => {
    useSource(`deb [trusted=yes] copy:${makeArchive({ libraries: false })} ./`)
    const cacheDir = temporaryFolder()
    await unpackDebianRedis(cacheDir)
    const output = execFileSync(join(cacheDir, 'redis', 'redis-server'), ['--version'], { encoding: 'utf8' })
    assert.match(output, /^Redis server v=7\.0\.0 .*--version\n$/)
  })

  test('is found in the lists that the machine has, without new ones', async () => {
    const archive = makeArchive()
    useSource(`deb [trusted=yes] copy:${archive} ./`)
    execFileSync('apt-get', ['-o', 'APT::Sandbox::User=', 'update'], { stdio: 'ignore' })
    rmSync(join(archive, 'Packages'))
    const cacheDir = temporaryFolder()
    await unpackDebianRedis(cacheDir)
    assert.ok(existsSync(join(cacheDir, 'redis', 'redis-server')))
  })

  test('leaves nothing behind when its source cannot be reached, and says so', async () => {
    useSource('deb [trusted=yes] http://127.0.0.1:9 ./')
    const cacheDir = temporaryFolder()
    await assert.rejects(unpackDebianRedis(cacheDir), /redis-tools/)
    assert.deepEqual(readdirSync(cacheDir), [])
  })
})
