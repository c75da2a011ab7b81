import { useEffect } from 'preact/hooks'
import { hueOfTag } from '../../components/tag.tsx'
import { followPresence, initialOf, peopleIn } from '../../data/presence.ts'
import { session } from '../../data/session.ts'

const MAX_SHOWN = 3

/** The others who have the note open, as initials in the bar, and who of them is writing. */
export function PeopleHere({ id }: { id: string }) {
  const user = session.value?.user.id
  useEffect(() => (user === undefined ? undefined : followPresence(id, user)), [id, user])
  const people = peopleIn(id)
  if (people.length === 0) return null
  const writing = people.filter((person) => person.writing).map(({ name }) => name)
  const [first] = writing
  const more = people.slice(MAX_SHOWN).map(({ name }) => name)
  return (
    <>
      {first !== undefined && (
        <span class="writing dim cut">
          {writing.length === 1 ? `${first} is writing` : `${writing.length} people are writing`}
        </span>
      )}
      <ul class="here" aria-label="Also in this note">
        {people.slice(0, MAX_SHOWN).map(({ id: person, name }) => (
          <li key={person} class={`avatar ${hueOfTag(name)}`} title={name}>
            <span aria-hidden="true">{initialOf(name)}</span>
            <span class="visually-hidden">{name}</span>
          </li>
        ))}
        {more.length > 0 && <li title={more.join(', ')}>+{more.length}</li>}
      </ul>
    </>
  )
}
