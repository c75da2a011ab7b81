import { useState } from 'preact/hooks'
import { Button, ErrorText, Field, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { TypedConfirmation } from '../../../components/modal.tsx'
import { usePartTitle } from '../../../components/page-title.ts'
import { Banner, Pane, QueryResult } from '../../../components/pane.tsx'
import { CopyButton } from '../../../components/secret.tsx'
import { mayWrite } from '../../../data/session.ts'
import { deleteSource, rotateSource, type Source, updateSource, useSource } from '../../../data/sources.ts'
import { address, navigate, search, setParameters } from '../../../router.ts'
import { MapEditor } from './map-editor.tsx'
import { PROVIDERS } from './providers.ts'
import { SourceState } from './source-list.tsx'

/** A source: its address, the map, and what came. */
export function SourceScreen({ id }: { id: string }) {
  const source = useSource(id)
  usePartTitle(source.data?.name ?? 'Source')
  return (
    <main id="main" class="source-screen">
      <Pane kind="content" label="Source">
        <header class="bar">
          <a class="button quiet icon-only" href={address(['webhooks', 'in'])} aria-label="All sources">
            <Icon name="back" />
          </a>
          <h1 class="cut">{source.data?.name ?? 'Source'}</h1>
          {source.data && <SourceState of={source.data} />}
          <span class="grow" />
          {source.data && <small class="desk">{countsText(source.data)}</small>}
        </header>
        <QueryResult query={source}>
          {(known) => (
            <>
              <Address source={known} />
              <MapEditor key={`${known.id} ${known.updated_at}`} source={known}>
                {mayWrite.value && <Ends source={known} />}
              </MapEditor>
            </>
          )}
        </QueryResult>
      </Pane>
    </main>
  )
}

function countsText({ counts }: Source): string {
  const kept = counts.written + counts.updated
  return `${kept} kept, ${counts.unmapped} to map, ${counts.ignored} ignored, ${counts.rejected} turned away`
}

/** What to paste where. */
function Address({ source }: { source: Source }) {
  const { url, provider } = source
  const { where, secretBy, secret } = PROVIDERS[provider]
  const setup = search.value.get('setup')
  return (
    <section class="section" aria-label="Address">
      <div class="address-line">
        <label for="source-url">Address</label>
        <input
          class="input code"
          id="source-url"
          readOnly
          value={url ?? 'shown to those who may write'}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        {url !== null && <CopyButton text={url} kind={setup ? 'main' : 'quiet'} />}
      </div>
      {setup && (
        <Banner>
          <p>
            <strong>Paste the address into {where}.</strong>
            {setup === 'secret' && secretBy === 'service' && ` Then paste here the ${secret}.`}
          </p>
        </Banner>
      )}
      {mayWrite.value && secretBy !== 'nobody' && <NewSecret source={source} isOpen={setup === 'secret'} />}
    </section>
  )
}

function NewSecret({ source: { id, provider }, isOpen }: { source: Source; isOpen: boolean }) {
  const { secret } = PROVIDERS[provider]
  const { run, isRunning, refusal } = useAction(async (form: HTMLFormElement) => {
    await updateSource(id, { secret: String(new FormData(form).get('secret')).trim() })
    form.reset()
    setParameters({ setup: undefined }, { replace: true })
  })
  return (
    <details class="more" open={isOpen}>
      <summary class="button quiet">New secret…</summary>
      <form
        class="line-form"
        onSubmit={(event) => {
          event.preventDefault()
          void run(event.currentTarget)
        }}
      >
        <Field label={`The ${secret}`} name="secret" required autocomplete="off" error={refusal.value} />
        <Button type="submit" disabled={isRunning.value}>
          Save the secret
        </Button>
      </form>
    </details>
  )
}

function Ends({ source: { id, name, enabled } }: { source: Source }) {
  const [isAsked, setAsked] = useState(false)
  const { run, isRunning, refusal } = useAction((act: () => Promise<void>) => act())
  return (
    <section class="section" aria-label="What ends it">
      <p class="actions">
        <Button
          disabled={isRunning.value}
          onClick={() => void run(() => updateSource(id, { enabled: !enabled }))}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button disabled={isRunning.value} onClick={() => void run(() => rotateSource(id))}>
          New address
        </Button>
        <Button kind="danger" onClick={() => setAsked(true)}>
          Delete…
        </Button>
      </p>
      <p class="dim">
        While it is disabled, what comes is kept and writes nothing. A new address ends the old one.
      </p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
      {isAsked && (
        <TypedConfirmation
          title={`Delete ${name}`}
          word={name}
          action="Delete"
          act={async () => {
            await deleteSource(id)
            navigate(address(['webhooks', 'in']), { replace: true })
          }}
          onClose={() => setAsked(false)}
        >
          The address ends, and the events that came go with it. The rows stay.
        </TypedConfirmation>
      )}
    </section>
  )
}
