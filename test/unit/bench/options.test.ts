import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { readOptions, UsageError, usage } from '../../../bench/harness/options.ts'
import { parseWorkload, readWorkload } from '../../../bench/harness/workload.ts'
import { describe, test } from '../../support/harness.ts'

const read = (text: string) => readOptions(text.split(' ').filter(Boolean))

describe('the options of the bench', () => {
  test('are the latency and saturation scenarios beside floors and the usual stack', () => {
    const options = read('')
    assert.ok(options.works.includes('event') && options.works.includes('list-messages'))
    assert.deepEqual([options.drills, options.rates, options.connections], [[], [200], [64]])
    assert.deepEqual(options.variants.slice(0, 3), ['gateway', 'floor', 'micro-floor'])
  })

  test('choose scenarios by name', () => {
    const options = read('--scenario ringing,soak --rates 20,600 --connections 0')
    assert.deepEqual([options.works, options.drills], [['ringing'], ['soak']])
    assert.deepEqual([options.rates, options.connections], [[20, 600], []])
  })

  test('--all takes every scenario', () => {
    assert.deepEqual([read('--all').drills.length, read('--all').connections], [7, [16, 64, 256]])
  })

  test('--scale measures texts and calls, in a result of its own', () => {
    const { works, connections, name, scale } = read('--scale')
    assert.deepEqual([works, connections, name, scale], [['event', 'ringing'], [], 'scale', true])
  })

  test('many endpoints and deployments have no opponents', () => {
    assert.deepEqual(read('--endpoints 50').variants, ['gateway'])
    assert.deepEqual(read('--target http://localhost:1 --deployment x.json').variants, ['gateway'])
  })

  for (const wrong of [
    '--scenario nothing',
    '--rates fast',
    '--rates 0.5',
    '--gateways 4',
    '--variants fastest',
    '--sweep soak',
    '--target http://localhost:1',
    '--target http://localhost:1 --deployment x.json --tail',
    '--target http://localhost:1 --deployment x.json --scale',
    '--scale --profile',
    '--name ../x',
    '--price-per-cpu-hour free',
    '--unknown',
  ])
    test(`refuses ${wrong}`, () => {
      assert.throws(() => read(wrong), UsageError)
    })

  test('the help names every flag that is read', () => {
    for (const name of [
      'scenario',
      'sweep',
      'workload',
      'target',
      'receive',
      'hops',
      'tail',
      'scale',
      'warm-up',
      'json',
      'price-per-cpu-hour',
    ])
      assert.ok(usage.includes(`--${name}`), name)
    assert.throws(() => read('--help'), { message: '' })
  })
})

describe('a workload file', () => {
  const folder = new URL('../../../bench/workloads/', import.meta.url)
  for (const name of readdirSync(folder))
    test(`${name} is valid`, () => {
      const { parts } = readWorkload(new URL(name, folder).pathname)
      assert.ok(parts.length > 0)
    })

  test('becomes a mix of work', () => {
    const calls = { perSecond: 5 }
    const { parts, endpoints } = parseWorkload({ name: 'mine', calls, texts: { perSecond: 9, bytes: 100 } })
    assert.deepEqual(parts, [
      { work: 'event', perSecond: 9, bytes: 100 },
      { work: 'ringing', perSecond: 5 },
    ])
    assert.equal(endpoints, 1)
  })

  test('is refused with the name of each wrong field', () => {
    assert.throws(() => parseWorkload({ name: 'mine', texts: { perSecond: -1 } }), /texts\.perSecond/)
    assert.throws(() => parseWorkload({ name: 'mine', text: { perSecond: 1 } }), /text/)
    assert.throws(() => parseWorkload({ name: 'mine' }), /has no work/)
  })
})
