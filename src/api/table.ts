// THE list: every route of the public API, in the order of the contract.
import type { ApiRoute } from './route.ts'
import { actOnCall, answerCall, findCall, listCalls, placeCall, readOffer } from './routes/calls.ts'
import {
  changeCampaign,
  createCampaign,
  deleteCampaign,
  findCampaign,
  listCampaigns,
} from './routes/campaigns.ts'
import { listNumbers, listTemplates } from './routes/catalog.ts'
import { findMessage, listMessages, sendMessage } from './routes/messages.ts'
import { addRecipients, listRecipients, removeRecipients } from './routes/recipients.ts'

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
  listCampaigns,
  findCampaign,
  listRecipients,
  createCampaign,
  changeCampaign,
  addRecipients,
  removeRecipients,
  deleteCampaign,
]
