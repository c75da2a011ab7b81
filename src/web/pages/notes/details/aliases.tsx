import { useRef } from 'preact/hooks'
import { type Aliased, aliasesOf } from '../../../../lib/aliases.ts'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { useId } from '../../../components/use-id.ts'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { Refused } from '../../../data/request.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import type { Note } from '../list-data.ts'

const CHANGED = new Set(['note'])

type Change = (note: Aliased) => Partial<Aliased>

const adding =
  (name: string): Change =>
  ({ alias, aliases = [] }) =>
    alias === null && aliases.length === 0 ? { alias: name } : { aliases: [...aliases, name] }

const removing =
  (name: string): Change =>
  ({ alias, aliases = [] }) =>
    alias === name ? { alias: null } : { aliases: aliases.filter((one) => one !== name) }

const ATTEMPTS = 5

/** Changes the aliases that the note has now. Others may write the note meanwhile. */
async function change(id: string, edit: Change): Promise<void> {
  const params = { id }
  for (let attempt = 1; ; attempt++) {
    const { note } = await api.get('/v1/notes/{id}', { params, isFresh: true })
    const { alias, aliases } = edit(note)
    const body = {
      ...(alias !== undefined && { alias }),
      ...(aliases && { aliases: [...aliases] }),
      rewrite_links: true,
      if_unchanged: note.updated_at,
    }
    try {
      await api.patch('/v1/notes/{id}', { params, body })
      return await invalidate(CHANGED)
    } catch (error) {
      if (attempt === ATTEMPTS || !(error instanceof Refused && error.code === 'stale')) throw error
    }
  }
}

/** The other names of a note. */
export function Aliases({ note }: { note: Note }) {
  const aliases = aliasesOf(note)
  const removal = useAction((name: string) => change(note.id, removing(name)))
  const remove = useSerialized(removal.run)
  if (aliases.length === 0 && !mayWriteNotes.value) return null
  return (
    <section class="section">
      <h3>Aliases</h3>
      {aliases.length === 0 && <p class="dim">Other names for links and searches.</p>}
      <p class="tags">
        {aliases.map((name) => (
          <span key={name} class="tag-item">
            <span class="tag" dir="auto">
              {name}
            </span>
            {mayWriteNotes.value && (
              <button type="button" class="button quiet icon-only" onClick={() => void remove(name)}>
                <span class="visually-hidden">Remove alias {name}</span>
                <Icon name="x" />
              </button>
            )}
          </span>
        ))}
      </p>
      {removal.refusal.value && <ErrorText>{removal.refusal.value}</ErrorText>}
      {mayWriteNotes.value && <AddAlias id={note.id} />}
    </section>
  )
}

function AddAlias({ id }: { id: string }) {
  const field = useId()
  const { run, refusal } = useAction((name: string) => change(id, adding(name)))
  const addSerialized = useSerialized(run)
  const input = useRef<HTMLInputElement>(null)
  const add = async (name: string) => {
    const isAdded = await addSerialized(name)
    if (!isAdded && input.current?.value === '') input.current.value = name
  }
  return (
    <form
      class="add-line"
      onSubmit={(event) => {
        event.preventDefault()
        const name = input.current?.value.trim()
        if (!input.current || !name) return
        // Cleared at once, so that the next alias can be typed while this one is added.
        input.current.value = ''
        void add(name)
      }}
    >
      <label class="visually-hidden" for={field}>
        New alias
      </label>
      <input
        class="input"
        id={field}
        name="alias"
        placeholder="Alias"
        ref={input}
        autocomplete="off"
        maxLength={400}
        aria-invalid={refusal.value !== undefined}
      />
      <Button type="submit">Add alias</Button>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </form>
  )
}
