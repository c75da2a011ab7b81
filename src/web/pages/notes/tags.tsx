import { signal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { ErrorText } from '../../components/form.tsx'
import { hueOfTag } from '../../components/tag.tsx'
import { type Answer, api } from '../../data/api.ts'
import { invalidate } from '../../data/cache.ts'
import { formatNumber } from '../../data/formats.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { sessionState } from '../../data/session-state.ts'
import { useQuery } from '../../data/use-query.ts'
import { address, setParameters } from '../../router.ts'
import { startDrag } from '../records/views/drag.ts'
import { currentList, otherListAddress } from './route.ts'
import { readTagTree } from './tag-list.ts'
import { movedNames, type TagBranch, treeOf } from './tag-tree.ts'

type Named = Answer<'/v1/tags', 'get'>['tags'][number]

/** The filter appears above this number of tags. */
const FILTER_THRESHOLD = 12
/** Tags shown per branch; more are found with the filter. */
const MAX_SHOWN = 200

/** Names of expanded branches. */
const expanded = sessionState<readonly string[]>([], { name: 'tags', storage: 'localStorage' })

function setOpen(name: string, isOpen: boolean): void {
  const others = expanded.peek().filter((other) => other !== name)
  expanded.value = isOpen ? [...others, name] : others
}

const refusal = signal<string | undefined>(undefined)

const renameTag = (id: number, name: string) => api.patch('/v1/tags/{id}', { params: { id }, body: { name } })

/**
 * Moves a tag with those below it below another one, or to the top level for an empty name: all of them, or none if a
 * name is taken or refused.
 */
async function moveTag(moved: string, parent: string): Promise<void> {
  refusal.value = undefined
  const renamed: Named[] = []
  try {
    const { tags } = await api.get('/v1/tags')
    const names = movedNames(
      tags.map(({ name }) => name),
      moved,
      parent,
    )
    if (!names) return
    const others = new Set(tags.filter(({ name }) => !names.has(name)).map(({ name }) => name.toLowerCase()))
    const taken = [...names.values()].find((name) => others.has(name.toLowerCase()))
    if (taken !== undefined)
      throw new Error(`A tag named “${taken}” exists already. Rename one of them first.`)
    for (const tag of tags) {
      const name = names.get(tag.name)
      if (name === undefined) continue
      await renameTag(tag.id, name)
      renamed.push(tag)
    }
    const list = currentList.peek()
    const shown = list?.kind === 'tag' ? names.get(list.name) : undefined
    if (shown !== undefined) setParameters({ tag: shown }, { replace: true })
  } catch (error) {
    refusal.value = (error as Error).message
    for (const { id, name } of renamed.toReversed()) await renameTag(id, name).catch(() => {})
  }
  await invalidate(new Set(['tag', 'note']))
}

/** Pinned tags, and all tags as a tree: dragging a tag onto another one moves it below that. */
export function Tags() {
  const { data } = useQuery(['tag note'], () => api.get('/v1/tags'))
  const tags = data?.tags ?? []
  const [filter, setFilter] = useState('')
  const text = filter.trim().toLowerCase()
  const pinned = tags.filter(({ is_pinned }) => is_pinned)
  if (tags.length === 0) return null
  return (
    <>
      {pinned.length > 0 && (
        <div class="rail-sub">
          <h2>Pinned tags</h2>
          <ul>
            {pinned.map(({ id, name, note_count }) => (
              <li key={id}>
                <TagLink name={name} label={name} noteCount={note_count} />
              </li>
            ))}
          </ul>
        </div>
      )}
      <div class="rail-sub">
        <h2 data-drop="">Tags</h2>
        {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
        {tags.length > FILTER_THRESHOLD && (
          <input
            type="search"
            class="input"
            aria-label="Filter tags"
            placeholder="Filter tags"
            value={filter}
            onInput={({ currentTarget }) => setFilter(currentTarget.value)}
          />
        )}
        {text === '' ? <Branches branches={treeOf(tags)} /> : <FilteredTags tags={tags} text={text} />}
      </div>
    </>
  )
}

/** Tags whose names contain the text, with their full names. */
function FilteredTags({ tags, text }: { tags: readonly Named[]; text: string }) {
  const found = tags.filter(({ name }) => name.toLowerCase().includes(text)).slice(0, MAX_SHOWN)
  if (found.length === 0) return <p class="dim">No matching tags.</p>
  return (
    <ul>
      {found.map(({ id, name, note_count }) => (
        <li key={id}>
          <TagLink name={name} label={name} noteCount={note_count} />
        </li>
      ))}
    </ul>
  )
}

const Branches = ({ branches }: { branches: readonly TagBranch[] }) => (
  <ul>
    {branches.slice(0, MAX_SHOWN).map((branch) => (
      <li key={branch.name}>
        {branch.branches.length === 0 ? <TagLink {...branch} /> : <Branch branch={branch} />}
      </li>
    ))}
    {branches.length > MAX_SHOWN && (
      <li>
        <a href={address(['views', 'tags'])}>{branches.length - MAX_SHOWN} more tags</a>
      </li>
    )}
  </ul>
)

/** A tag with tags below it: its link lists and counts the notes of all of them. */
function Branch({ branch }: { branch: TagBranch }) {
  const { name, label, branches } = branch
  const list = currentList.value
  const containsCurrent = list?.kind === 'tag' && list.name.startsWith(`${name}/`)
  const isOpen = containsCurrent || expanded.value.includes(name)
  // Counted again when the numbers of its tags change, not with each change of a note.
  const { data } = useQuery(
    ['tag', 'below', branch],
    ({ signal }) =>
      readTagTree(
        name,
        { search: '', sort: undefined, limit: 1, offset: 0, content: false, excerpt: false },
        signal,
      ),
    { placeholderData: (before) => before },
  )
  return (
    <>
      <div class="branch">
        <button
          type="button"
          aria-expanded={isOpen}
          aria-label={`Tags below ${name}`}
          onClick={() => setOpen(name, !isOpen)}
        />
        <TagLink name={name} label={label} noteCount={data?.total} isTree />
      </div>
      {isOpen && <Branches branches={branches} />}
    </>
  )
}

interface TagLinkProps {
  readonly name: string
  readonly label: string
  readonly noteCount: number | undefined
  /** Whether the link lists the notes of the tags below it, too. */
  readonly isTree?: boolean
}

function TagLink({ name, label, noteCount, isTree }: TagLinkProps) {
  const list = currentList.value
  return (
    <a
      href={otherListAddress({ tag: name, ...(isTree && { tree: '1' }) })}
      aria-current={list?.kind === 'tag' && list.name === name ? 'true' : undefined}
      draggable={false}
      data-drop={name}
      onPointerDown={(event) => {
        if (mayWriteNotes.peek()) startDrag(event, (target) => void moveTag(name, target))
      }}
    >
      <span class={`tag cut ${hueOfTag(name)}`} title={name}>
        {label}
      </span>
      {noteCount !== undefined && <span class="at-end">{formatNumber(noteCount)}</span>}
    </a>
  )
}
