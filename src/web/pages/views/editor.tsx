import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import { confirm } from '../../components/confirm.tsx'
import { Button, ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Pane } from '../../components/pane.tsx'
import { invalidate } from '../../data/cache.ts'
import { mayWriteNotes } from '../../data/session.ts'
import type { Kind } from '../../data/use-query.ts'
import { address, navigate, path } from '../../router.ts'

interface EditorProps {
  readonly title: string
  /** Its kind in the change feed. */
  readonly what: Kind
  /** The name to type before deleting; undefined for a new one. */
  readonly name?: string | undefined
  /** Saves and returns the ID. */
  readonly save: () => Promise<string>
  readonly remove?: (() => Promise<unknown>) | undefined
  /** The consequence of deleting it, as a sentence. */
  readonly consequence?: string
  /** Further actions. */
  readonly more?: ComponentChildren
  readonly children: ComponentChildren
}

/** The pane in which a view, preset, lens, tag or property is created or edited. */
export function Editor({ title, what, name, save, remove, consequence, more, children }: EditorProps) {
  const [isSaved, setSaved] = useState(false)
  const section = path.value[1] ?? 'views'
  const { run, isRunning, refusal } = useAction(async () => {
    const from = location.pathname
    const id = await save()
    await invalidate(new Set([what]))
    setSaved(true)
    // Another pane may have been opened in the meantime.
    if (location.pathname === from) navigate(address(['views', section, id]), { replace: true })
  })
  const askToDelete = (act: () => Promise<unknown>) =>
    confirm({
      title: `Delete the ${what} “${name}”`,
      consequence,
      action: `Delete ${what}`,
      word: name ?? '',
      act: async () => {
        await act()
        await invalidate(new Set([what]))
        navigate(address(['views', section]))
      },
    })
  return (
    <Pane kind="side" label={title}>
      <header class="bar">
        <a
          class="button quiet icon-only narrow"
          aria-label="Back to the list"
          href={address(['views', section])}
        >
          <Icon name="back" />
        </a>
        <h2 class="cut">{title}</h2>
        <span class="grow" />
        {mayWriteNotes.value && more}
      </header>
      <form
        class="editor"
        onInput={() => setSaved(false)}
        onSubmit={(event) => {
          event.preventDefault()
          void run()
        }}
      >
        <fieldset disabled={!mayWriteNotes.value}>
          <legend class="visually-hidden">{title}</legend>
          {children}
        </fieldset>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        {mayWriteNotes.value && (
          <p class="actions">
            <Button kind="main" type="submit" disabled={isRunning.value}>
              Save
            </Button>
            {remove && (
              <Button kind="quiet" onClick={() => void askToDelete(remove)}>
                Delete…
              </Button>
            )}
            <span class="dim" role="status">
              {isSaved ? 'Saved' : ''}
            </span>
          </p>
        )}
      </form>
    </Pane>
  )
}

interface TextProps {
  readonly label: string
  readonly value: string
  readonly isRequired?: boolean
  readonly onInput: (value: string) => void
}

export const Text = ({ label, value, isRequired = false, onInput }: TextProps) => (
  <label class="field">
    <span class="label">{label}</span>
    <input
      class="input"
      value={value}
      required={isRequired}
      autocomplete="off"
      onInput={({ currentTarget }) => onInput(currentTarget.value)}
    />
  </label>
)
