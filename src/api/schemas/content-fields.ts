// Fields that several kinds of messages have.
import * as v from 'valibot'
import type { GivenFile } from '../../messaging/free-form-content.ts'
import { maxCharacters } from '../../platform/http/fields.ts'
import { about, shownAs } from '../../platform/http/shown.ts'
import { id } from './fields.ts'

/** 1 to `most` characters. */
export const words = (most: number) =>
  v.pipe(
    v.string(),
    v.minLength(1, 'must not be empty'),
    maxCharacters(most, `must be at most ${most} characters long`),
  )

/** Left out, it is null. */
export const orNull = <Schema extends v.GenericSchema>(schema: Schema) => v.optional(v.nullable(schema), null)

export const address = (protocols: readonly string[]) =>
  v.pipe(
    words(2_048),
    shownAs({ type: 'string', maxLength: 2_048, pattern: `^(${protocols.join('|')})//.+$` }),
    v.check(
      (text) => URL.canParse(text) && protocols.includes(new URL(text).protocol),
      `must be an address that begins with ${protocols.map((name) => `${name}//`).join(' or ')}`,
    ),
  )

export const fileEntries = {
  id: about(v.optional(id('upload')), 'Of a file that was uploaded with `POST /media`.'),
  link: about(v.optional(address(['https:'])), 'In place of `id`: where the provider fetches the file.'),
}

interface FileFields {
  readonly id?: Extract<GivenFile, { uploadId: unknown }>['uploadId'] | undefined
  readonly link?: string | undefined
}

export const hasOneFile = ({ id, link }: FileFields) => (id === undefined) !== (link === undefined)

export const fileOf = ({ id, link }: FileFields): GivenFile =>
  id === undefined ? { link: link ?? '' } : { uploadId: id }
