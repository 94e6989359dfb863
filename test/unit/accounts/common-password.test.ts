import assert from 'node:assert/strict'
import { isCommonPassword } from '../../../src/accounts/common-password.ts'
import { describe, test } from '../../support/harness.ts'

describe('common passwords', () => {
  for (const password of [
    '1qaz2wsx3edc',
    'administrator',
    'QWERTYuiop123',
    'Password2026!',
    '!!!dragon1999',
    'pass-word-1234',
    'passwordpassword',
    'abcabcabcabcabc',
    '000000000000',
    'ｐａｓｓｗｏｒｄ1234',
  ])
    test(`${password} is one`, async () => assert.equal(await isCommonPassword(password), true))

  for (const password of [
    'switchboard-demo',
    'correct horse battery staple',
    'generated-1-password',
    'uX4_v9-Qm2zT7kLpW0aRbe8N',
    '839201748293love',
    '481620957342',
    'ночной поезд в Тверь',
  ])
    test(`${password} is none`, async () => assert.equal(await isCommonPassword(password), false))
})
