// THE list: every route of the public API, in the order of the contract.
import type { ApiRoute } from './route.ts'
import { actOnCall, answerCall, findCall, listCalls, placeCall, readOffer } from './routes/calls.ts'
import { listNumbers, listTemplates } from './routes/catalog.ts'
import { findMessage, listMessages, sendMessage } from './routes/messages.ts'

export const apiPrefix = '/api/v1'

export const table: readonly ApiRoute[] = [
  sendMessage,
  listMessages,
  findMessage,
  listTemplates,
  listNumbers,
  listCalls,
  findCall,
  readOffer,
  answerCall,
  actOnCall,
  placeCall,
]
