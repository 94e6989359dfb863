// THE list: every route of the public API, in the order of the contract.
import type { ApiRoute } from './route.ts'
import { actOnCall, answerCall, findCall, listCalls, placeCall, readIce, readOffer } from './routes/calls.ts'
import {
  cancelCampaign,
  changeCampaign,
  createCampaign,
  deleteCampaign,
  findCampaign,
  listCampaigns,
  pauseCampaign,
  startCampaign,
} from './routes/campaigns.ts'
import { listNumbers, listTemplates } from './routes/catalog.ts'
import { listConversations, readConversation, showTyping } from './routes/conversations.ts'
import { estimateCampaign } from './routes/estimate.ts'
import { readMedia } from './routes/media.ts'
import { findMessage, listMessages, previewMessage, readMessage, sendMessage } from './routes/messages.ts'
import { addRecipients, listRecipients, removeRecipients } from './routes/recipients.ts'

export const apiPrefix = '/api/v1'

export const table: readonly ApiRoute[] = [
  sendMessage,
  previewMessage,
  listMessages,
  findMessage,
  readMedia,
  readMessage,
  readConversation,
  listTemplates,
  listNumbers,
  listConversations,
  listCalls,
  findCall,
  readIce,
  readOffer,
  answerCall,
  actOnCall,
  placeCall,
  listCampaigns,
  findCampaign,
  estimateCampaign,
  listRecipients,
  createCampaign,
  changeCampaign,
  addRecipients,
  removeRecipients,
  startCampaign,
  pauseCampaign,
  cancelCampaign,
  deleteCampaign,
  showTyping,
]
