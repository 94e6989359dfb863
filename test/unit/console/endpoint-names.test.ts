import assert from 'node:assert/strict'
import { endpointOptions, endpointTitles } from '../../../src/console/web/core/endpoint-names.ts'
import { describe, test } from '../../support/harness.ts'

const endpoint = (id: string, name: string, url: string) => ({ id, name, url })

describe('the names of endpoints', () => {
  test('the host is enough where no namesake has it', () => {
    const all = [
      endpoint('end_1', 'Shop', 'https://shop.example/hook'),
      endpoint('end_2', 'Shop', 'https://test.shop.example:8443/hook'),
      endpoint('end_3', 'Archive', 'https://shop.example/archive'),
    ]
    const titles = endpointTitles(all)
    assert.deepEqual(titles.get('end_1'), { name: 'Shop', where: 'shop.example' })
    assert.deepEqual(titles.get('end_2'), { name: 'Shop', where: 'test.shop.example:8443' })
    assert.deepEqual(
      endpointOptions(all).map(({ label }) => label),
      ['Shop (shop.example)', 'Shop (test.shop.example:8443)', 'Archive'],
    )
  })

  test('namesakes at one host show their paths, and at one address the end of the id', () => {
    const titles = endpointTitles([
      endpoint('end_1', 'Shop', 'https://shop.example/one'),
      endpoint('end_2', 'Shop', 'https://shop.example/two'),
      endpoint('end_aaaa', 'Till', 'https://till.example/'),
      endpoint('end_bbbb', 'Till', 'https://till.example/'),
    ])
    assert.equal(titles.get('end_1')?.where, 'shop.example/one')
    assert.equal(titles.get('end_2')?.where, 'shop.example/two')
    assert.notEqual(titles.get('end_aaaa')?.where, titles.get('end_bbbb')?.where)
  })

  test('an address that is none is shown as it is', () => {
    assert.equal(endpointTitles([endpoint('end_1', 'Odd', 'nowhere')]).get('end_1')?.where, 'nowhere')
  })
})
