// What an error of a send means and what to do, for whoever looks at the message. The only place with these words.
import { classOfReported, type ProviderErrorClass } from './provider-errors.ts'

export interface ErrorHelp {
  readonly meaning: string
  readonly remedy: string
}

const help = (meaning: string, remedy: string): ErrorHelp => ({ meaning, remedy })

const notOnChannel = help(
  'The provider could not reach this person: the number may not use the channel, may run an old version of the app, or has not accepted its terms.',
  'Check the number. If it is right, reach the person another way; sending again gives the same error.',
)
const payment = help(
  'The provider does not accept the payment method of the business account.',
  'Put the payment method in order at the provider. What failed can be sent again afterwards.',
)
const wrongVariables = help(
  'The variables do not fit the template: their number, form or length is not what the provider approved.',
  'Compare the variables with the template, correct them and send the message again.',
)
const noTemplate = help(
  'The provider does not have this template in this language, or it is not approved.',
  'Look at Templates: submit it again or use another one.',
)
const badFile = help(
  'The file of the message could not be read or is not of a kind that the provider takes.',
  'Check that the link can be read by anybody, and the type and size of the file. Then send the message again.',
)
const lost = help(
  'The connection broke before the provider answered, so nobody knows whether the message arrived.',
  'Ask the customer, or wait for a reply, before you send it again: it may have arrived.',
)

const ofCode: Readonly<Record<string, ErrorHelp>> = {
  OUTCOME_UNKNOWN: lost,
  TIMEOUT: lost,
  CONNECTION_LOST: lost,
  UNREADABLE_ANSWER: lost,
  UNREACHABLE: help(
    'The provider could not be reached, and the message was tried several times. It was not sent.',
    'Send it again. If others fail too, look at the status page of the provider.',
  ),
  OVERLOADED: help(
    'Too many requests to the provider were waiting. The message was not sent.',
    'Send it again, more slowly.',
  ),
  NO_PROVIDER_TOKEN: help(
    'The workspace has no access to the provider, so nothing could be sent.',
    'Whoever runs the installation has to connect the business account.',
  ),
  TEMPLATE_VARIABLES_MISMATCH: wrongVariables,
  100: help(
    'The provider did not accept a field of the request.',
    'Read the details below, correct what they name and send the message again.',
  ),
  190: help(
    'The access token of the workspace has expired or was revoked.',
    'Whoever runs the installation has to set a new token. Until then nothing is sent.',
  ),
  368: help(
    'The provider has blocked the account for a time because of its policies.',
    'Read what the provider reports under Numbers, and resolve it there. Nothing is sent until then.',
  ),
  130429: help(
    'The number sent more messages a second than the provider allows, also after several tries.',
    'Send it again, more slowly. Campaigns keep to the limit by themselves.',
  ),
  130472: help(
    'This person belongs to a group to which the provider delivers no marketing messages for an experiment.',
    'Sending again gives the same error. Reach the person with a utility template or another way.',
  ),
  130497: help(
    'The account may not send to people in this country.',
    'Leave the country out, or ask the provider which rule applies.',
  ),
  131021: help('The recipient is the number that sends.', 'Send to another number.'),
  131026: notOnChannel,
  131030: help(
    'The business account is for tests, and this number is not among those that it may send to.',
    'Add the number to the list of test recipients at the provider.',
  ),
  131031: help(
    'The provider has locked the business account.',
    'Resolve it with the provider. Nothing is sent until then.',
  ),
  131037: help(
    'The display name of the number is not approved yet.',
    'Wait for the review of the display name, or change it at the provider.',
  ),
  131042: payment,
  131044: payment,
  131045: help(
    'The number is not registered correctly at the provider.',
    'Register the number again at the provider.',
  ),
  131047: help(
    'The customer last wrote more than 24 hours ago, so only a template can be sent.',
    'Send a template. When the customer answers, you can write freely again.',
  ),
  131048: help(
    'Too many people blocked or reported the number, so the provider limits it.',
    'Send less and only to people who agreed, until the quality of the number is better.',
  ),
  131049: help(
    'The provider limits how many marketing messages a person gets from all businesses together.',
    'Wait a day or longer before you try again: soon repeated tries count against the account.',
  ),
  131050: help(
    'This person stopped marketing messages of your business.',
    'Do not send marketing to this person. Other kinds of messages still arrive.',
  ),
  131051: help('The provider does not support this kind of message here.', 'Use another kind of message.'),
  131052: badFile,
  131053: badFile,
  131056: help(
    'Too many messages went from this number to this person in a short time.',
    'Wait some minutes, then send it again.',
  ),
  131057: help('The account is being maintained at the provider.', 'Wait some minutes, then send it again.'),
  131062: help(
    'This message cannot be sent to somebody who hides the phone number.',
    'Use another template, or ask the person for the number.',
  ),
  131063: help(
    'The account cannot send marketing templates in this way.',
    'Use a utility template, or ask the provider what the account needs.',
  ),
  132000: wrongVariables,
  132001: noTemplate,
  132005: help(
    'With its variables filled in, the text of the template is too long.',
    'Shorten the variables and send the message again.',
  ),
  132007: help(
    'A part of the message breaks the policy of the provider.',
    'Change the wording or the variables, then send it again.',
  ),
  132008: wrongVariables,
  132012: wrongVariables,
  132015: help(
    'The provider has paused the template because too few people found it useful.',
    'Wait until it runs again, or change it under Templates.',
  ),
  132016: help(
    'The provider has disabled the template for good.',
    'Submit a new one with other words under Templates.',
  ),
  132018: wrongVariables,
  133010: help(
    'The number is not registered at the provider.',
    'Register the number at the provider. Nothing can be sent from it until then.',
  ),
}

const ofClass: Readonly<Record<ProviderErrorClass, ErrorHelp>> = {
  retry: help(
    'The provider had a fault for a moment, and several tries did not help. The message was not sent.',
    'Send it again. If others fail too, look at the status page of the provider.',
  ),
  throttled: help('The number or the account sent too fast.', 'Wait a little, then send it again.'),
  pairLimited: help(
    'Too many messages went to this person in a short time.',
    'Wait some minutes, then send it again.',
  ),
  permanent: help(
    'The provider refused this message, and would refuse it again.',
    'Read what the provider says, correct it and send a new message.',
  ),
  optedOut: help('This person stopped messages of your business.', 'Do not send marketing to this person.'),
  templatePaused: help('The template is paused.', 'Wait until it runs again, or use another one.'),
  templateThrottled: help(
    'The template was used too often, or is not ready yet.',
    'Wait some minutes, then send it again.',
  ),
  templateGone: noTemplate,
  account: help(
    'Something is wrong with the account at the provider: its access, rights, payment or registration.',
    'Look at Numbers for what the provider reports, and resolve it there.',
  ),
  callPermission: help('The person has not allowed calls.', 'Ask for the permission first.'),
  callBusy: help('A call with this person is going on.', 'Try again when it is over.'),
  callLimited: help('No more calls to this person are allowed for now.', 'Try again tomorrow.'),
  callingUnavailable: help(
    'The number cannot place or take calls.',
    'Turn calls on for the number at the provider.',
  ),
  invalidSdp: help(
    'The provider cannot use the session description.',
    'Check what the calling program sends as SDP.',
  ),
  callAnswered: help('The call was answered already.', 'Nothing needs to be done.'),
  callGone: help('The call has ended.', 'Call again.'),
  callFailed: help('The media of the call failed.', 'Check the network of the calling program.'),
}

const numeric = /^\d{1,9}$/

/** Undefined for a code that neither the provider documents nor we use. */
export function errorHelp({ code, subcode }: { code: string; subcode?: string }): ErrorHelp | undefined {
  if (Object.hasOwn(ofCode, code)) return ofCode[code]
  return numeric.test(code) ? ofClass[classOfReported(Number(code), subcode)] : undefined
}
