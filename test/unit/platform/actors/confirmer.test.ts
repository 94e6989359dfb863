import assert from 'node:assert/strict'
import type { Owned } from '../../../../src/platform/actors/actor.ts'
import { createConfirmer, type Standing } from '../../../../src/platform/actors/confirmer.ts'
import { describe, test } from '../../../support/harness.ts'
import { SimulatedClock } from '../../../support/simulated-clock.ts'

/** Queries that are answered when `answer` is called, which says that these epochs have changed. */
function asked() {
  const clock = new SimulatedClock(0)
  const queries: { owned: readonly Owned[]; answer: (others: [string, number | undefined][]) => void }[] = []
  const query = (owned: readonly Owned[]) =>
    new Promise<Map<string, number | undefined>>((resolve) => {
      queries.push({ owned, answer: (others) => resolve(new Map(others)) })
    })
  return { clock, queries, confirmer: createConfirmer(query, clock) }
}

function actors(count: number) {
  const told: { id: string; standing: Standing }[] = []
  const all = Array.from({ length: count }, (_, number) => ({
    id: `id-${number}`,
    epoch: 7,
    heed: (standing: Standing) => void told.push({ id: `id-${number}`, standing }),
  }))
  return { all, told }
}

describe('actors that are confirmed in advance', () => {
  test('share queries, and each is told how it stands', async () => {
    const { clock, queries, confirmer } = asked()
    const { all, told } = actors(2_500)
    confirmer.confirmAll(all)
    queries[0]?.answer([
      ['id-1', 8],
      ['id-2', undefined],
      // That of a younger incarnation, which another one in the query is not.
      ['id-3', 7],
    ])
    await clock.advance(1)
    queries[1]?.answer([])
    await clock.advance(1)
    assert.deepEqual(
      queries.map(({ owned }) => owned.length),
      [2_000, 500],
    )
    const standings = told.map(({ standing }) => standing.type)
    assert.deepEqual(standings.slice(0, 4), ['confirmed', 'foreign', 'gone', 'confirmed'])
    assert.deepEqual(new Set(told.map(({ id }) => id)).size, 2_500)
  })

  test('wait once each while Postgres is slow, and none is left out', async () => {
    const { clock, queries, confirmer } = asked()
    const { all, told } = actors(40)
    for (let second = 0; second < 3; second += 1)
      for (let slice = 0; slice < 40; slice += 10) confirmer.confirmAll(all.slice(slice, slice + 10))
    assert.equal(queries.length, 3, 'so many at once')
    queries[0]?.answer([])
    await clock.advance(1)
    assert.equal(queries[3]?.owned.length, 40)
    assert.equal(told.length, 10)
  })

  test('are told nothing certain by a query that fails or takes too long', async () => {
    const { clock, confirmer } = asked()
    const { all, told } = actors(1)
    confirmer.confirmAll(all)
    await clock.advance(2_000)
    assert.deepEqual(told, [{ id: 'id-0', standing: { type: 'unknown' } }])
  })
})
