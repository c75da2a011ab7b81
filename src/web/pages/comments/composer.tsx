import { useEffect, useRef, useState } from 'preact/hooks'
import { fold } from '../../../lib/text.ts'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { useId } from '../../components/use-id.ts'
import { type Member, readMembers } from '../../data/records/members.ts'

interface ComposerProps {
  readonly label: string
  readonly text?: string
  readonly action: string
  readonly isFocused?: boolean
  /** The field takes the focus again when this changes; what is typed stays. */
  readonly subject?: unknown
  readonly send: (text: string) => Promise<unknown>
  readonly onCancel?: (() => void) | undefined
}

const MAX_OFFERED = 6

/** The `@` before the cursor, with what is typed after it. */
function mentionBefore(
  text: string,
  cursor: number,
): { readonly at: number; readonly typed: string } | undefined {
  const at = text.lastIndexOf('@', cursor - 1)
  const typed = text.slice(at + 1, cursor)
  if (at === -1 || typed.includes('\n') || typed.length > 60) return undefined
  return at > 0 && /[\p{L}\p{N}_]/u.test(text.charAt(at - 1)) ? undefined : { at, typed }
}

/** Names that begin with the typed text, then names with a word that does. */
function offeredFor(members: readonly Member[], typed: string): readonly Member[] {
  const wanted = fold(typed)
  const begins = ({ name }: Member) => fold(name).startsWith(wanted)
  const contains = (member: Member) => !begins(member) && fold(member.name).includes(` ${wanted}`)
  return [...members.filter(begins), ...members.filter(contains)].slice(0, MAX_OFFERED)
}

/** A text field that completes `@` to the names of members. Ctrl Enter sends. */
export function Composer({
  label,
  text: initial = '',
  action,
  isFocused,
  subject,
  send,
  onCancel,
}: ComposerProps) {
  const [text, setText] = useState(initial)
  const [cursor, setCursor] = useState(0)
  const [members, setMembers] = useState<readonly Member[]>([])
  const [chosen, setChosen] = useState(0)
  const [closedAt, setClosedAt] = useState<number>()
  const field = useRef<HTMLTextAreaElement>(null)
  const id = useId()
  const mention = mentionBefore(text, cursor)
  const offered = mention && mention.at !== closedAt ? offeredFor(members, mention.typed) : []
  const isExact = offered.length === 1 && offered[0]?.name === mention?.typed
  const options = isExact ? [] : offered
  const current = Math.min(chosen, options.length - 1)
  useEffect(() => {
    if (isFocused) field.current?.focus()
  }, [isFocused, subject])
  useEffect(() => {
    if (text.includes('@') && members.length === 0) readMembers().then(setMembers, () => undefined)
  }, [text, members])
  const { run, isRunning, refusal } = useAction(async () => {
    if (text.trim() === '') throw new Error('Write something first.')
    await send(text.trim())
    // Text typed meanwhile stays.
    setText((current) => (current === text ? '' : current))
    setClosedAt(undefined)
  })
  const cancel = () => {
    setText(initial)
    onCancel?.()
  }
  const insert = (member: Member | undefined) => {
    if (!mention || !member) return
    const end = mention.at + 1 + member.name.length
    const next = `${text.slice(0, mention.at + 1)}${member.name} ${text.slice(cursor).trimStart()}`
    setText(next)
    setCursor(end + 1)
    requestAnimationFrame(() => {
      field.current?.focus()
      field.current?.setSelectionRange(end + 1, end + 1)
    })
  }
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault()
      void run()
    } else if (options.length > 0 && ['ArrowDown', 'ArrowUp'].includes(event.key)) {
      event.preventDefault()
      const step = event.key === 'ArrowDown' ? 1 : -1
      setChosen((current + step + options.length) % options.length)
    } else if (options.length > 0 && ['Enter', 'Tab'].includes(event.key)) {
      event.preventDefault()
      insert(options[current])
    } else if (event.key === 'Escape' && (options.length > 0 || onCancel)) {
      event.preventDefault()
      event.stopPropagation()
      if (options.length > 0) setClosedAt(mention?.at)
      else cancel()
    }
  }
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault()
        void run()
      }}
    >
      <textarea
        ref={field}
        class="input"
        rows={text === '' && !isFocused ? 1 : 3}
        placeholder={label}
        aria-label={label}
        aria-haspopup="listbox"
        aria-autocomplete="list"
        aria-controls={`${id}-names`}
        aria-activedescendant={options.length > 0 ? `${id}-${current}` : undefined}
        value={text}
        onInput={({ currentTarget }) => {
          setText(currentTarget.value)
          setCursor(currentTarget.selectionStart)
          setChosen(0)
        }}
        onSelect={({ currentTarget }) => setCursor(currentTarget.selectionStart)}
        onKeyDown={onKeyDown}
      />
      <div class="names" id={`${id}-names`} role="listbox" aria-label="Members" hidden={options.length === 0}>
        {options.map((member, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field has the focus and handles the keys
          // biome-ignore lint/a11y/useFocusableInteractive: the same
          <div
            key={member.id}
            id={`${id}-${index}`}
            role="option"
            aria-selected={index === current}
            onPointerDown={(event) => event.preventDefault()}
            onClick={() => insert(member)}
          >
            {member.name}
          </div>
        ))}
      </div>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      {(text !== '' || onCancel) && (
        <p class="actions">
          <Button kind="main" type="submit" disabled={isRunning.value}>
            {action}
          </Button>
          {onCancel && <Button onClick={cancel}>Cancel</Button>}
        </p>
      )}
    </form>
  )
}
