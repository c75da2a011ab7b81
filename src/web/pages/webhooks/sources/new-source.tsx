import { useMemo, useRef, useState } from 'preact/hooks'
import { fold } from '../../../../lib/text.ts'
import { Button, ErrorText, Field, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { Pane, QueryResult } from '../../../components/pane.tsx'
import { CopyButton } from '../../../components/secret.tsx'
import { api } from '../../../data/api.ts'
import { createSource, type Source } from '../../../data/sources.ts'
import { useQuery } from '../../../data/use-query.ts'
import { address, navigate } from '../../../router.ts'
import { newSecret, PROVIDERS } from './providers.ts'
import { READY_TABLES } from './ready-tables.ts'

const NAMES = Object.keys(PROVIDERS) as Source['provider'][]

/** The form for a new source: the provider, the table and the secret. */
export function NewSource() {
  const structures = useQuery(
    ['structure'],
    async ({ signal }) => (await api.get('/v1/records/structures', { signal })).structures,
  )
  return (
    <main id="main">
      <Pane kind="content" label="New source">
        <header class="bar">
          <a class="button quiet icon-only" href={address(['webhooks', 'in'])} aria-label="Back">
            <Icon name="back" />
          </a>
          <h1 class="cut">New source</h1>
        </header>
        <QueryResult query={structures}>{(known) => <Form structures={known} />}</QueryResult>
      </Pane>
    </main>
  )
}

/** The value of the option that creates a table; no id of a table is empty. */
const NEW_TABLE = ''

interface NamedTable {
  readonly id: string
  readonly name: string
}

function Form({ structures }: { structures: readonly NamedTable[] }) {
  const [provider, setProvider] = useState<Source['provider']>('stripe')
  const ready = READY_TABLES[provider]
  // A table of this name may have been created for the service before.
  const named = (name: string | undefined) =>
    structures.find((known) => name !== undefined && fold(known.name) === fold(name))
  const isOffered = ready !== undefined && !named(ready.name)
  const first = isOffered ? NEW_TABLE : (named(ready?.name) ?? structures[0])?.id
  const [selected, setStructure] = useState<string>()
  const structure = selected === NEW_TABLE && !isOffered ? first : (selected ?? first)
  /** The table that an earlier attempt created. */
  const created = useRef<string>(undefined)
  const createTable = async (): Promise<string> => {
    const { source: _, ...body } = ready ?? { source: undefined }
    created.current ??= (await api.post('/v1/records/structures', { body: body as never })).structure.id
    return created.current
  }
  const own = useMemo(newSecret, [])
  const { title, secretBy, secret } = PROVIDERS[provider]
  const { run, isRunning, refusal } = useAction(async (data: FormData) => {
    const typed = String(data.get('secret') ?? '').trim()
    const isNew = structure === NEW_TABLE
    const source = await createSource({
      name: String(data.get('name')).trim(),
      structure: isNew ? await createTable() : (structure ?? ''),
      provider,
      ...(isNew && ready?.source),
      // A placeholder until the service shows its own secret.
      ...(secretBy !== 'none' && { secret: typed || (provider === 'standard' ? btoa(own) : own) }),
      ...optionsOf(provider, data),
    })
    navigate(
      address(
        ['webhooks', 'in', source.id],
        typed === '' && secretBy === 'service' ? { setup: 'secret' } : { setup: 'done' },
      ),
    )
  })
  return (
    <form
      class="body stack wide"
      onSubmit={(event) => {
        event.preventDefault()
        void run(new FormData(event.currentTarget))
      }}
    >
      <p class="field">
        <label for="provider">Service</label>
        <select
          class="input"
          id="provider"
          value={provider}
          onChange={({ currentTarget }) => setProvider(currentTarget.value as Source['provider'])}
        >
          {NAMES.map((name) => (
            <option key={name} value={name}>
              {PROVIDERS[name].title}
            </option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="structure">Table</label>
        <select
          class="input"
          id="structure"
          value={structure}
          onChange={({ currentTarget }) => setStructure(currentTarget.value)}
        >
          {isOffered && <option value={NEW_TABLE}>New table “{ready.name}”</option>}
          {structures.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </select>
        {structure === NEW_TABLE && (
          <small>The table and its map are ready for {title} payments. You can change both later.</small>
        )}
        {structure === undefined && (
          <small>
            A source writes to a table, but you have no tables yet.{' '}
            <a href={address(['records', 'new'])}>Create a table</a> first.
          </small>
        )}
      </p>
      <Field
        key={provider}
        label="Name"
        name="name"
        required
        maxLength={200}
        defaultValue={title.split(' (')[0] ?? ''}
      />
      <Options provider={provider} />
      {secretBy === 'daybook' && (
        <div class="line-form">
          <Field
            label={`Paste this into the service as: ${secret}`}
            name="secret"
            required
            defaultValue={own}
            autocomplete="off"
          />
          <CopyButton text={own} />
        </div>
      )}
      {secretBy === 'service' && (
        <Field label={`${title} ${secret}, if you already have it`} name="secret" autocomplete="off" />
      )}
      {secretBy === 'none' && (
        <p class="dim">Events are not verified. Anyone who knows the URL can write rows.</p>
      )}
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      <p class="actions">
        <Button kind="main" type="submit" disabled={isRunning.value || structure === undefined}>
          Create source
        </Button>
        <a class="button" href={address(['webhooks', 'in'])}>
          Cancel
        </a>
      </p>
    </form>
  )
}

function Options({ provider }: { provider: Source['provider'] }) {
  if (provider === 'basic') return <Field label="User" name="user" required />
  if (provider !== 'hmac') return null
  return (
    <>
      <Field label="Signature header" name="header" required defaultValue="X-Signature" />
      <p class="field">
        <label for="algorithm">Algorithm</label>
        <select class="input" id="algorithm" name="algorithm">
          {['sha256', 'sha1', 'sha512'].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      <p class="field">
        <label for="encoding">Encoding</label>
        <select class="input" id="encoding" name="encoding">
          {['hex', 'base64'].map((name) => (
            <option key={name}>{name}</option>
          ))}
        </select>
      </p>
      <Field label="Signature prefix (optional)" name="prefix" defaultValue="" />
    </>
  )
}

function optionsOf(provider: Source['provider'], data: FormData): { options?: Record<string, unknown> } {
  const text = (name: string) => String(data.get(name) ?? '').trim()
  if (provider === 'none') return { options: { unverified: true } }
  if (provider === 'basic') return { options: { user: text('user') } }
  if (provider !== 'hmac') return {}
  const [header, algorithm, encoding, prefix] = ['header', 'algorithm', 'encoding', 'prefix'].map(text)
  return { options: { header, algorithm, encoding, ...(prefix && { prefix }) } }
}
