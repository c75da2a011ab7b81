import { useRef } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { Tag } from '../../../components/tag.tsx'
import { useId } from '../../../components/use-id.ts'
import { api } from '../../../data/api.ts'
import { changeTag } from '../../../data/pending-actions.ts'
import { mayWriteNotes } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import type { Note } from '../list-data.ts'
import { otherListAddress } from '../route.ts'

/** The tags of a note, with links to their lists. */
export function Tags({ note }: { note: Note }) {
  const { tags } = note
  const removal = useAction((name: string) => changeTag(note, name, false))
  const remove = useSerialized(removal.run)
  return (
    <section class="section">
      <h3>Tags</h3>
      {tags.length === 0 && !mayWriteNotes.value && <p class="dim">No tags.</p>}
      <p class="tags">
        {tags.map((name) => (
          <span key={name} class="tag-item">
            <Tag name={name} href={otherListAddress({ tag: name })} />
            {mayWriteNotes.value && (
              <button type="button" class="button quiet icon-only" onClick={() => void remove(name)}>
                <span class="visually-hidden">Remove tag {name}</span>
                <Icon name="x" />
              </button>
            )}
          </span>
        ))}
      </p>
      {removal.refusal.value && <ErrorText>{removal.refusal.value}</ErrorText>}
      {mayWriteNotes.value && <AddTag note={note} />}
    </section>
  )
}

function AddTag({ note }: { note: Note }) {
  const field = useId()
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const { run, refusal } = useAction((name: string) => changeTag(note, name, true))
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
        const name = input.current?.value.trim().replace(/^#/, '')
        if (!input.current || !name) return
        // Cleared at once, so that the next tag can be typed while this one is added.
        input.current.value = ''
        void add(name)
      }}
    >
      <label class="visually-hidden" for={field}>
        New tag
      </label>
      <input
        class="input"
        id={field}
        name="tag"
        placeholder="Tag"
        ref={input}
        list={`${field}-list`}
        autocomplete="off"
        maxLength={500}
        aria-invalid={refusal.value !== undefined}
      />
      <datalist id={`${field}-list`}>
        {data?.tags
          .filter(({ name }) => !note.tags.includes(name))
          .map(({ id: tag, name }) => (
            <option key={tag} value={name} />
          ))}
      </datalist>
      <Button type="submit">Add tag</Button>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </form>
  )
}
