// Every route of the public API, in the order of the API contract.
import type { ApiRoute } from './route.ts'
import { actOnCall, answerCall, getCall, getIce, getOffer, listCalls, placeCall } from './routes/calls.ts'
import {
  cancelCampaign,
  changeCampaign,
  createCampaign,
  deleteCampaign,
  getCampaign,
  listCampaigns,
  pauseCampaign,
  startCampaign,
} from './routes/campaigns.ts'
import { getNumber, getTemplate, listNumbers, listTemplates } from './routes/catalog.ts'
import {
  getConversation,
  listConversations,
  markConversationRead,
  showTyping,
} from './routes/conversations.ts'
import { estimateCampaign } from './routes/estimate.ts'
import { getMedia, uploadMedia } from './routes/media.ts'
import { getMessage, listMessages, markMessageRead, previewMessage, sendMessage } from './routes/messages.ts'
import {
  getErasure,
  getExport,
  getExportFile,
  listErasures,
  listExports,
  requestErasure,
  requestExport,
} from './routes/privacy.ts'
import { addRecipients, listRecipients, removeRecipients } from './routes/recipients.ts'

export const apiPrefix = '/api/v1'

export const table: readonly ApiRoute[] = [
  sendMessage,
  previewMessage,
  listMessages,
  getMessage,
  getMedia,
  markMessageRead,
  markConversationRead,
  listTemplates,
  listNumbers,
  listConversations,
  listCalls,
  getCall,
  getIce,
  getOffer,
  answerCall,
  actOnCall,
  placeCall,
  listCampaigns,
  getCampaign,
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
  getConversation,
  getTemplate,
  getNumber,
  requestErasure,
  listErasures,
  getErasure,
  requestExport,
  listExports,
  getExport,
  getExportFile,
  uploadMedia,
]
