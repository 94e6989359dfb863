// Hostile campaign requests, and requests of a workspace that does not own the campaign.
import type { Case } from './hostile-client.ts'

const invalid = '400 VALIDATION_ERROR'
const mediaType = '415 UNSUPPORTED_MEDIA_TYPE'
const notFound = '404 NOT_FOUND'
const MIB = 1_024 * 1_024

export const campaign = { name: 'Spring', template: { name: 'hello_world', language: 'en_US' } }

export function campaignCases(id: string): readonly Case[] {
  const path = `/campaigns/${id}/recipients`
  const making = (body: unknown) => ({ method: 'POST', path: '/campaigns', body })
  const changing = (body: unknown) => ({ method: 'PATCH', path: `/campaigns/${id}`, body })
  const adding = (body: unknown, headers = {}) => ({ method: 'POST', path, body, headers })
  const uploading = (body: string | Buffer) => adding(body, { 'content-type': 'text/csv' })
  const removing = (body: unknown) => ({ method: 'DELETE', path, body })
  const to = '+15557000001'
  return [
    ['no name', making({ template: campaign.template }), invalid, 'name'],
    [
      'an unknown template',
      making({ ...campaign, template: { ...campaign.template, name: 'no' } }),
      '422 TEMPLATE_NOT_FOUND',
    ],
    [
      'an unknown default',
      making({ ...campaign, variables: { a: 'x' } }),
      '422 TEMPLATE_VARIABLES_MISMATCH',
      'variables.a',
    ],
    ['a default named __proto__', making(rawDefault), invalid, 'variables'],
    ['yesterday', making({ ...campaign, startAt: '2020-01-01' }), invalid, 'startAt'],
    ['a pace of nothing', making({ ...campaign, messagesPerSecond: 0 }), invalid, 'messagesPerSecond'],
    ['a pace beyond range', making('{"messagesPerSecond":1e999}'), invalid, 'name'],
    ['a status', changing({ status: 'RUNNING' }), invalid, 'status'],
    ['counts', changing({ counts: {} }), invalid, 'counts'],
    ['no number', changing({ numberId: null }), invalid, 'numberId'],
    ['no rows', adding({}), invalid, 'recipients'],
    ['rows that are an object', adding({ recipients: { to } }), invalid, 'recipients'],
    ['a row that is a number', adding({ recipients: [to] }), invalid, 'recipients.0'],
    [
      'half a character',
      adding(`{"recipients":[{"to":"${to}","variables":{"a":"\\ud800"}}]}`),
      invalid,
      'recipients.0.variables.a',
    ],
    [
      'a variable named __proto__',
      adding(`{"recipients":[{"to":"${to}","variables":{"__proto__":"x"}}]}`),
      invalid,
      'recipients.0.variables',
    ],
    [
      '10,001 rows',
      adding({ recipients: Array.from({ length: 10_001 }, () => ({ to })) }),
      invalid,
      'recipients',
    ],
    [
      'four million rows of nothing',
      adding(`{"recipients":[${'0,'.repeat(4 * MIB - 20)}0]}`),
      invalid,
      'recipients',
    ],
    ['8 MiB and a byte', { method: 'POST', path, announcedBytes: 8 * MIB + 1 }, '413 PAYLOAD_TOO_LARGE'],
    ['gzip', adding('x', { 'content-encoding': 'gzip' }), mediaType],
    ['a form', adding('to=1', { 'content-type': 'application/x-www-form-urlencoded' }), mediaType],
    ['CSV that is gzip', adding('x', { 'content-type': 'text/csv', 'content-encoding': 'gzip' }), mediaType],
    ['CSV as JSON', adding('to\n+15557000001\n'), '400 MALFORMED_JSON'],
    ['CSV without to', uploading('name\n+15557000001\n'), invalid, 'line 1'],
    ['CSV with two columns of numbers', uploading('phone,mobile\n1,2\n'), invalid, 'line 1'],
    ['CSV with a column __proto__', uploading('to,__proto__\n1,2\n'), invalid, 'line 1'],
    ['CSV that is one quote', uploading(`to\n"${'x'.repeat(MIB)}`), invalid, 'line 2'],
    ['CSV that is one row', uploading(`to\n${'x'.repeat(MIB)}`), invalid, 'line 2'],
    ['CSV of a million commas', uploading(','.repeat(MIB)), invalid, 'line 1'],
    ['CSV of nothing but lines', uploading('\n'.repeat(8 * MIB)), invalid, 'line 1'],
    ['CSV of nothing but quotes', uploading('"'.repeat(8 * MIB)), invalid, 'line 1'],
    ['CSV that is no UTF-8', uploading(Buffer.from('to,\xff\n', 'latin1')), invalid, 'line 1'],
    ['CSV in UTF-16', uploading(Buffer.from('\ufeffto\n', 'utf16le')), invalid, 'line 1'],
    [
      '256 MiB and a byte of CSV',
      { ...uploading(''), body: undefined, announcedBytes: 256 * MIB + 1 },
      '413 PAYLOAD_TOO_LARGE',
    ],
    [
      'a dry run that is none',
      { ...adding({ recipients: [] }), path: `${path}?dryRun=1` },
      invalid,
      'dryRun',
    ],
    ['no choice', removing({}), invalid, 'body'],
    ['two choices', removing({ all: true, ids: [] }), invalid, 'body'],
    ['ids of another kind', removing({ ids: [id] }), invalid, 'ids.0'],
    ['a removal without a body', removing(''), '400 MALFORMED_JSON'],
    ['a report in pages', { path: `${path}?limit=1`, headers: { accept: 'text/csv' } }, invalid, 'limit'],
    ['no campaign at all', { path: '/campaigns/cmp_00000000000000000000000000' }, notFound],
  ]
}

const rawDefault = JSON.stringify({ ...campaign, variables: '@' }).replace('"@"', '{"__proto__":"x"}')

/** Well-formed requests to every route of a campaign. */
export function foreignCampaignCases(id: string): readonly Case[] {
  const path = `/campaigns/${id}`
  const recipients = `${path}/recipients`
  return [
    ['read', { path }, notFound],
    ['recipients', { path: recipients }, notFound],
    ['estimate', { path: `${path}/estimate` }, notFound],
    [
      'upload',
      {
        method: 'POST',
        path: recipients,
        headers: { 'content-type': 'text/csv' },
        body: 'to\n+15557000001\n',
      },
      notFound,
    ],
    ['report', { path: recipients, headers: { accept: 'text/csv' } }, notFound],
    ['change', { method: 'PATCH', path, body: { name: 'Mine' } }, notFound],
    ['add', { method: 'POST', path: recipients, body: { recipients: [{ to: '+15557000001' }] } }, notFound],
    ['remove', { method: 'DELETE', path: recipients, body: { all: true } }, notFound],
    ['delete', { method: 'DELETE', path }, notFound],
  ]
}
