import { useState } from 'preact/hooks'
import { Button } from './form.tsx'
import { Icon } from './icon.tsx'

/** Copies a text and confirms it in the button. */
export function CopyButton({
  text,
  word = 'Copy',
  kind,
}: {
  text: string
  word?: string
  kind?: 'main' | 'quiet'
}) {
  const [state, setState] = useState<'ready' | 'copied' | 'failed'>('ready')
  const words = { ready: word, copied: 'Copied', failed: 'Select the text and copy it' }
  return (
    <Button
      {...(kind && { kind })}
      onClick={async () => {
        try {
          await navigator.clipboard.writeText(text)
          setState('copied')
        } catch {
          setState('failed')
        }
      }}
    >
      <Icon name={state === 'copied' ? 'check' : 'copy'} />
      <span aria-live="polite">{words[state]}</span>
    </Button>
  )
}

/** A secret or link that is shown only once. */
export const Secret = ({ title, label, text }: { title: string; label: string; text: string }) => (
  <div class="secret" role="status">
    <p>
      <strong>{title}</strong>
    </p>
    <div class="row">
      <input
        class="input code"
        aria-label={label}
        readOnly
        value={text}
        onFocus={({ currentTarget }) => currentTarget.select()}
      />
      <CopyButton text={text} />
    </div>
  </div>
)
