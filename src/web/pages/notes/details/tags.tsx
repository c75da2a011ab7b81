import { useId, useRef } from 'preact/hooks'
import { Button, ErrorText, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { useSerialized } from '../../../components/serialized.ts'
import { Tag } from '../../../components/tag.tsx'
import { api } from '../../../data/api.ts'
import { invalidate } from '../../../data/cache.ts'
import { mayWrite } from '../../../data/session.ts'
import { useQuery } from '../../../data/use-query.ts'
import type { Note } from '../list-data.ts'
import { otherListAddress } from '../route.ts'

const CHANGED = new Set(['note', 'tag'])

/** The tags of a note, with links to their lists. */
export function Tags({ note: { id, tags } }: { note: Note }) {
  const removal = useAction(async (name: string) => {
    await api.delete('/v1/notes/{id}/tags/{name}', { params: { id, name } })
    await invalidate(CHANGED)
  })
  const remove = useSerialized(removal.run)
  return (
    <section class="section">
      <h3>Tags</h3>
      {tags.length === 0 && !mayWrite.value && <p class="dim">No tags.</p>}
      <p class="tags">
        {tags.map((name) => (
          <span key={name} class="tag-item">
            <Tag name={name} href={otherListAddress({ tag: name })} />
            {mayWrite.value && (
              <button type="button" class="button quiet icon-only" onClick={() => void remove(name)}>
                <span class="visually-hidden">Remove tag {name}</span>
                <Icon name="x" />
              </button>
            )}
          </span>
        ))}
      </p>
      {removal.refusal.value && <ErrorText>{removal.refusal.value}</ErrorText>}
      {mayWrite.value && <AddTag id={id} tags={tags} />}
    </section>
  )
}

function AddTag({ id, tags }: { id: string; tags: readonly string[] }) {
  const field = useId()
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const { run, refusal } = useAction(async (name: string) => {
    await api.post('/v1/notes/{id}/tags', { params: { id }, body: { tags: [name] } })
    await invalidate(CHANGED)
  })
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
        ref={input}
        list={`${field}-list`}
        autocomplete="off"
        maxLength={500}
        aria-invalid={refusal.value !== undefined}
      />
      <datalist id={`${field}-list`}>
        {data?.tags
          .filter(({ name }) => !tags.includes(name))
          .map(({ id: tag, name }) => (
            <option key={tag} value={name} />
          ))}
      </datalist>
      <Button type="submit">Add tag</Button>
      {refusal.value && <ErrorText>{refusal.value}</ErrorText>}
    </form>
  )
}
