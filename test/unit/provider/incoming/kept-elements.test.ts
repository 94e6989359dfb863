// What is kept of an element, and of whom it says that it concerns them.
import assert from 'node:assert/strict'
import { keptBody, keptOf } from '../../../../src/provider/incoming/kept-elements.ts'
import { parseWebhook } from '../../../../src/provider/incoming/parse.ts'
import { describe, test } from '../../../support/harness.ts'

const metadata = { display_phone_number: '15550003333', phone_number_id: '88' }
const phone = (index: number) => String(351_910_000_000 + index)

const keptOfAll = (field: string, content: object) => {
  const value = { messaging_product: 'whatsapp', metadata, ...content }
  const object = 'whatsapp_business_account'
  const { elements } = parseWebhook({ object, entry: [{ id: '1', changes: [{ field, value }] }] }, new Date())
  return elements.map((read) => {
    const kept = keptOf(read, undefined)
    assert.ok(kept.type === 'unlinked')
    return kept.row
  })
}

const contactSync = (count: number) => ({
  state_sync: Array.from({ length: count }, (_, index) => ({
    type: 'contact',
    contact: { full_name: `Ines ${index}`, phone_number: phone(index) },
  })),
})

describe('whom an element concerns', () => {
  test('is told by the contacts of an app, too, and the number of the account is nobody', () => {
    const [kept] = keptOfAll('smb_app_state_sync', contactSync(1))
    assert.deepEqual(kept?.people, [phone(0)])
  })

  test('counts each person once', () => {
    const echoes = Array.from({ length: 2_500 }, (_, index) => ({ from: phone(index % 3), to: phone(7) }))
    const [kept] = keptOfAll('smb_message_echoes', { echoes: [...echoes, { from: 'PT.44100928' }] })
    assert.deepEqual(kept?.people, [phone(0), phone(7), phone(1), phone(2), 'PT.44100928'])
    assert.ok(kept?.fullBytes)
  })

  test('is known of all, or nothing of them is kept', () => {
    const [most] = keptOfAll('smb_app_state_sync', contactSync(1_000))
    assert.deepEqual([most?.people.length, most?.body.includes('Ines')], [1_000, true])
    let nested: object = { from: phone(0), name: 'Ines' }
    for (let depth = 0; depth < 40; depth += 1) nested = { nested }
    for (const content of [contactSync(1_001), nested]) {
      const [more] = keptOfAll('smb_app_state_sync', content)
      assert.deepEqual([more?.people, more?.body.includes('Ines'), more?.phoneNumberId], [[], false, '88'])
      assert.doesNotThrow(() => JSON.parse(more?.body ?? ''))
    }
    const cut = keptBody(Buffer.from(JSON.stringify(contactSync(1_001)).slice(1)))
    assert.deepEqual([cut.type === 'unlinked' && cut.row.people, cut.row.body.includes('Ines')], [[], false])
  })
})

describe('the contacts of a change', () => {
  test('are looked through once for all of its elements', () => {
    let looks = 0
    const contacts = Array.from({ length: 100 }, (_, index) =>
      Object.defineProperty({ profile: { name: `N${index}` } }, 'wa_id', {
        enumerable: true,
        get() {
          looks += 1
          return phone(index)
        },
      }),
    )
    const messages = contacts.map((_, index) => ({ id: `m${index}`, from: phone(index), type: 'text' }))
    const kept = keptOfAll('messages', { contacts, messages })
    for (const [index, { body }] of kept.entries()) {
      const { value } = JSON.parse(body)
      assert.deepEqual(value.contacts, [{ profile: { name: `N${index}` }, wa_id: phone(index) }])
    }
    assert.ok(looks < 10 * contacts.length, String(looks))
  })

  test('stay with each element that names them, in their order, and once', () => {
    const [a, b, c] = [0, 1, 2].map((index) => ({ profile: { name: `N${index}` }, wa_id: phone(index) }))
    const messages = [
      { id: 'm1', from: phone(2), context: { from: phone(0) } },
      { id: 'm2', from: phone(1) },
      { id: 'm3', from: phone(5) },
    ]
    const kept = keptOfAll('messages', { contacts: [a, a, b, c], messages })
    assert.deepEqual(
      kept.map(({ body }) => JSON.parse(body).value.contacts),
      [[a, c], [b], []],
    )
  })
})
