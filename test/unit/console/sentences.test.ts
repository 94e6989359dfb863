import assert from 'node:assert/strict'
import { instructionOf, messageOf, sentenceOf } from '../../../src/console/web/core/sentences.ts'
import { describe, test } from '../../support/harness.ts'

describe('what the server says of an error', () => {
  test('is a whole sentence over a form', () => {
    assert.equal(
      sentenceOf('there is no such key in this workspace'),
      'There is no such key in this workspace.',
    )
    assert.equal(sentenceOf('That is not your current password.'), 'That is not your current password.')
    // A name of the API keeps its letters.
    assert.equal(sentenceOf('endpointId is required'), 'endpointId is required.')
  })

  test('is an instruction beside a field, which is named when it is empty', () => {
    const said: readonly (readonly [string, string, string])[] = [
      ['must not be empty', 'name', 'Enter a name'],
      ['is required', 'contact.email', 'Enter an e-mail address'],
      ['missing', 'variables.store', 'Enter a value'],
      ['must be at most 100 characters long', 'name', 'Use at most 100 characters'],
      ['must have at least 12 characters', 'password', 'Use at least 12 characters'],
      ['must be a whole number', 'rate', 'Enter a whole number'],
      ['must be at least 0', 'rate', 'Enter at least 0'],
      ['must be one of "A", "B"', 'kind', 'Choose one of "A", "B"'],
      ['must list at most 20 ranges', 'allowedIps', 'List at most 20 ranges'],
      ['must not use the names __proto__', 'variables', 'Must not use the names __proto__'],
      ['Use an https:// or wss:// address', 'url', 'Use an https:// or wss:// address'],
    ]
    for (const [message, path, instruction] of said) assert.equal(instructionOf(message, path), instruction)
  })

  test('of our own failures tells what to do, not what a program needs', () => {
    assert.match(
      messageOf('INTERNAL', 'something went wrong here; quote the requestId'),
      /^Something went wrong on our side\./,
    )
    assert.equal(messageOf('NOT_FOUND', 'there is no such path'), 'There is no such path.')
  })
})
