import assert from 'node:assert/strict'
import { limits } from '../../../../src/contract/limits.ts'
import { uploadPlaces } from '../../../../src/platform/http/upload-places.ts'
import { newId } from '../../../../src/shared/ids.ts'
import { describe, test } from '../../../support/harness.ts'

describe('the places for uploads', () => {
  test('are so many for a workspace, and one that is given back twice counts once', () => {
    const [enter, workspace] = [uploadPlaces(limits.uploadsAtOnce), newId('workspace')]
    const places = Array.from({ length: limits.uploadsAtOnce.perWorkspace }, () => enter(workspace))
    assert.throws(() => enter(workspace), { code: 'RATE_LIMITED' })
    enter(newId('workspace')).leave()
    places[0]?.leave()
    places[0]?.leave()
    enter(workspace)
    assert.throws(() => enter(workspace), { code: 'RATE_LIMITED' })
  })

  test('are so many for the process', () => {
    const enter = uploadPlaces(limits.uploadsAtOnce)
    const places = Array.from({ length: limits.uploadsAtOnce.all }, () => enter(newId('workspace')))
    assert.throws(() => enter(newId('workspace')), { code: 'OVERLOADED' })
    places[0]?.leave()
    enter(newId('workspace'))
  })
})
