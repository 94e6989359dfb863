import { serve } from './part.ts'
import { type ReceiverProtocol, receiverHandlers } from './receiver.ts'

serve<ReceiverProtocol>(receiverHandlers)
