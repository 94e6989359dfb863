// A reply that is on its way, or that could not be sent.
import { Button } from '../../parts/button.tsx'
import { Icon } from '../../parts/icon.tsx'
import { discard, isWaiting, type Outgoing, tryAgain } from './outbox.ts'

export const OutgoingBubble = ({ outgoing }: { readonly outgoing: Outgoing }) => {
  const { text, fileNames, problem } = outgoing
  return (
    <li class={problem === undefined ? 'bubble out sending' : 'bubble out unsent'}>
      <span class="visually-hidden">You:</span>
      <div class="bubble-body">
        {fileNames.map((name) => (
          <span key={name} class="file">
            <Icon name="file" />
            {name}
          </span>
        ))}
        {text !== '' && <p>{text}</p>}
      </div>
      {problem === undefined ? (
        <span class="ticks">
          <Icon name="clock" />
          {isWaiting(outgoing) ? 'Waits for the one above' : 'Sending'}
        </span>
      ) : (
        <div class="unsent-says" role="alert">
          <p>
            <Icon name="warning" />
            <span>Not sent. {problem}</span>
          </p>
          <Button onClick={() => tryAgain(outgoing)}>Try again</Button>
          <Button look="quiet" onClick={() => discard(outgoing)}>
            Discard
          </Button>
        </div>
      )}
    </li>
  )
}
