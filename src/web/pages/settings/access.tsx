import { useState } from 'preact/hooks'
import { Code } from '../../components/code.tsx'
import { Button, useAction, Why } from '../../components/form.tsx'
import { Failed, Loading } from '../../components/pane.tsx'
import { CopyButton, Secret } from '../../components/secret.tsx'
import { isOwner, mayWrite, session } from '../../data/session.ts'
import {
  type Access,
  type ApiKey,
  changeKeyAccess,
  changeMemberAccess,
  createKey,
  type Member,
  useKeys,
  useMembers,
} from '../../data/settings.ts'
import type { Structure } from '../records/model.ts'
import { useStructures } from '../records/structures.ts'
import { Section } from './section.tsx'

const LEVELS = ['none', 'read', 'write']
const STRUCTURE_LEVELS = ['none', 'read', 'add', 'write']
const WORDS: Readonly<Record<string, string>> = {
  none: 'none',
  read: 'reads',
  add: 'adds rows',
  write: 'writes',
}
/** Every structure that has no column of its own choice. */
const OTHERS = '*'

/** Who reaches what of the workspace. */
export function AccessSection() {
  const members = useMembers()
  const keys = useKeys()
  const structures = useStructures()
  const error = members.error ?? keys.error ?? structures.error
  return (
    <Section
      name="access"
      title="Access"
      about="Who reaches what. What is out of reach is as if it did not exist. A key reaches no more than its person; a table that comes later is as “Other tables” says."
    >
      {error ? (
        <Failed error={error} />
      ) : members.data && keys.data && structures.data ? (
        <>
          <AccessTable members={members.data} keys={keys.data} structures={structures.data} />
          {mayWrite.value && <WebsiteKey structures={structures.data} />}
        </>
      ) : (
        <Loading />
      )}
    </Section>
  )
}

/** A part of the workspace: a column of the table. */
interface Part {
  readonly name: string
  readonly title: string
  readonly levels: readonly string[]
}

const partsOf = (structures: readonly Structure[]): Part[] => [
  { name: 'notes', title: 'Notes', levels: LEVELS },
  { name: 'files', title: 'Files', levels: LEVELS },
  ...structures.map(({ id, name }) => ({ name: id, title: name, levels: STRUCTURE_LEVELS })),
  { name: OTHERS, title: 'Other tables', levels: STRUCTURE_LEVELS },
]

const isKind = (part: string): part is 'notes' | 'files' => part === 'notes' || part === 'files'

const levelOf = (access: Access | undefined, part: string): string =>
  (isKind(part) ? access?.[part] : (access?.structures?.[part] ?? access?.structures?.[OTHERS])) ?? 'write'

const withLevel = (access: Access = {}, part: string, level: string): Access =>
  isKind(part)
    ? { ...access, [part]: level }
    : { ...access, structures: { ...access.structures, [part]: level } }

/** A member or a key: a row of the table. */
interface Subject {
  readonly id: string
  readonly name: string
  readonly about: string
  readonly access: Access | undefined
  /** Whether role or scope let it read alone. */
  readonly isReader: boolean
  /** Undefined where it cannot be changed. */
  readonly change: ((access: Access) => Promise<unknown>) | undefined
}

const memberRow = ({ user_id: id, name, role, access }: Member): Subject => ({
  id,
  name,
  about: role,
  access,
  isReader: role === 'viewer',
  change: isOwner.value && role !== 'owner' ? (next) => changeMemberAccess(id, next) : undefined,
})

const keyRow = ({ id, name, user, scope, access }: ApiKey): Subject => ({
  id,
  name,
  about: user.id === session.value?.user.id ? 'your key' : `key of ${user.name}`,
  access,
  isReader: scope === 'read',
  change: (next) => changeKeyAccess(id, next),
})

interface AccessTableProps {
  readonly members: readonly Member[]
  readonly keys: readonly ApiKey[]
  readonly structures: readonly Structure[]
}

function AccessTable({ members, keys, structures }: AccessTableProps) {
  const parts = partsOf(structures)
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: who has no pointer scrolls it with the keyboard
    <section class="access-table" tabIndex={0} aria-label="Who reaches what">
      <table>
        <thead>
          <tr>
            <th scope="col">Who</th>
            {parts.map(({ name, title }) => (
              <th scope="col" key={name} title={title}>
                {title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {[...members.map(memberRow), ...keys.map(keyRow)].map((subject) => (
            <SubjectRow key={subject.id} subject={subject} parts={parts} />
          ))}
        </tbody>
      </table>
    </section>
  )
}

function SubjectRow({ subject, parts }: { subject: Subject; parts: readonly Part[] }) {
  const { name, about, access, isReader, change } = subject
  const action = useAction(async (part: string, level: string) => change?.(withLevel(access, part, level)))
  const refusal = action.refusal.value
  return (
    <>
      <tr>
        <th scope="row" title={name}>
          {name}
          <br />
          <small>{about}</small>
        </th>
        {parts.map(({ name: part, title, levels }) => {
          const given = levelOf(access, part)
          const level = isReader && given === 'write' ? 'read' : given
          const shown = isReader ? levels.filter((one) => ['none', 'read', level].includes(one)) : levels
          return (
            <td key={part} data-part={title} class={level === 'none' ? 'dim' : undefined}>
              {change ? (
                <select
                  class="input"
                  aria-label={`${title} for ${name}`}
                  value={level}
                  // Disabled it would lose the focus of who works with the keyboard.
                  aria-disabled={action.isRunning.value}
                  onChange={({ currentTarget }) => {
                    const { value } = currentTarget
                    currentTarget.value = level
                    if (!action.isRunning.value) void action.run(part, value)
                  }}
                >
                  {shown.map((one) => (
                    <option key={one} value={one}>
                      {WORDS[one]}
                    </option>
                  ))}
                </select>
              ) : (
                WORDS[level]
              )}
            </td>
          )
        })}
      </tr>
      {refusal !== undefined && (
        <tr>
          <td colSpan={parts.length + 1}>
            <Why>{refusal}</Why>
          </td>
        </tr>
      )}
    </>
  )
}

const exampleOf = (field: Structure['fields'][number] | undefined): string =>
  JSON.stringify({ [field?.key ?? 'name']: field?.type === 'number' ? 1 : 'text' })

/** The lines of a page that use the key. */
const linesFor = ({ id, fields }: Structure, secret: string): string =>
  `await fetch('${location.origin}/v1/records', {
  method: 'POST',
  headers: { authorization: 'Bearer ${secret}', 'content-type': 'application/json' },
  body: JSON.stringify({ structure: '${id}', data: ${exampleOf(fields.find(({ hidden }) => !hidden))} }),
})`

/** Makes a key that may only add rows to one table, which a page may show to everybody. */
function WebsiteKey({ structures }: { structures: readonly Structure[] }) {
  const [made, setMade] = useState<{ structure: Structure; secret: string }>()
  const [chosen, setChosen] = useState(structures[0]?.id)
  const structure = structures.find(({ id }) => id === chosen) ?? structures[0]
  const action = useAction(async () => {
    if (!structure) return
    const { secret } = await createKey({
      name: `Website: ${structure.name}`.slice(0, 500),
      scope: 'write',
      expires_at: null,
      access: { notes: 'none', files: 'none', structures: { [OTHERS]: 'none', [structure.id]: 'add' } },
    })
    setMade({ structure, secret })
  })
  if (!structure) return null
  const refusal = action.refusal.value
  return (
    <>
      <h3>A key for a website</h3>
      <p class="dim">It adds rows to one table, and reads nothing: a page may hold it.</p>
      <div class="line-form">
        <div class="field">
          <label class="label" for="website-structure">
            Rows go to
          </label>
          <select
            id="website-structure"
            class="input"
            value={structure.id}
            onChange={({ currentTarget }) => setChosen(currentTarget.value)}
          >
            {structures.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </div>
        <Button disabled={action.isRunning.value} onClick={() => void action.run()}>
          Make website key
        </Button>
      </div>
      {refusal !== undefined && <Why>{refusal}</Why>}
      {made && (
        <>
          <Secret
            title={`The key adds rows to ${made.structure.name}. It is shown only now.`}
            label={`Website key of ${made.structure.name}`}
            text={made.secret}
          />
          <p class="dim">
            The page sends a row with these lines; the server needs <code>--cors-origin</code> with the
            address of the page.{' '}
            <CopyButton text={linesFor(made.structure, made.secret)} word="Copy the lines" />
          </p>
          <Code label="Lines of the website" text={linesFor(made.structure, made.secret)} />
        </>
      )}
    </>
  )
}
