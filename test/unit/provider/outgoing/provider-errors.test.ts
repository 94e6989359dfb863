import assert from 'node:assert/strict'
import {
  classOfCode,
  classOfReported,
  providerErrorClasses,
} from '../../../../src/contract/provider-errors.ts'
import { describe, test } from '../../../support/harness.ts'

// Every code in the provider's error, message and call documentation, except the permissions 200 to 299.
const documented = [
  0, 1, 2, 3, 4, 10, 33, 100, 104, 190, 368, 613, 803, 80007, 130403, 130429, 130472, 130497, 131000, 131005,
  131008, 131009, 131016, 131021, 131026, 131030, 131031, 131037, 131042, 131044, 131045, 131047, 131048,
  131049, 131050, 131051, 131052, 131053, 131055, 131056, 131057, 131060, 131061, 131062, 131063, 131064,
  131065, 131070, 132000, 132001, 132005, 132007, 132008, 132012, 132015, 132016, 132018, 132068, 132069,
  133004, 133010, 133016, 134100, 134101, 134102, 135000, 137000, 138000, 138001, 138002, 138003, 138004,
  138005, 138006, 138007, 138009, 138011, 138012, 138013, 138014, 138015, 138017, 138018, 138019, 138020,
  138021, 138022, 138023, 138038,
]

describe('the table of provider errors', () => {
  test('holds every documented code and no other', () => {
    assert.deepEqual(Object.keys(providerErrorClasses).map(Number), documented)
  })

  test('takes every missing permission for a matter of the account', () => {
    for (const code of [200, 250, 299]) assert.equal(classOfCode(code), 'account')
    for (const code of [199, 300]) assert.equal(classOfCode(code), undefined)
  })

  test('tells a missing call permission from bad credentials, though both come as 401', () => {
    assert.equal(classOfCode(138006), 'callPermission')
    assert.equal(classOfCode(138000), 'callingUnavailable')
    assert.equal(classOfCode(190), 'account')
  })

  test('slows down for what throttles and stops for what only a person can mend', () => {
    for (const code of [4, 80007, 130429, 131057]) assert.equal(classOfCode(code), 'throttled')
    for (const code of [131042, 131048, 368]) assert.equal(classOfCode(code), 'account')
    assert.equal(classOfCode(131056), 'pairLimited')
    assert.equal(classOfCode(132015), 'templatePaused')
    for (const code of [132001, 132016]) assert.equal(classOfCode(code), 'templateGone')
  })

  test('takes a lost access for a matter of the account: by code, or by code and subcode', () => {
    for (const code of [3, 10, 33, 190, 200, 294, 803, 131005]) assert.equal(classOfCode(code), 'account')
    assert.equal(classOfCode(100, '33'), 'account')
    assert.equal(classOfReported(100, '33'), 'account')
    for (const subcode of [undefined, null, '34', '2388019'])
      assert.equal(classOfCode(100, subcode), 'permanent')
  })

  test('takes an unknown code in a webhook for final', () => {
    assert.equal(classOfReported(999_999), 'permanent')
  })
})
