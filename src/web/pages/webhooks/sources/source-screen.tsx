import { confirm } from '../../../components/confirm.tsx'
import { Button, ErrorText, Field, useAction } from '../../../components/form.tsx'
import { Icon } from '../../../components/icon.tsx'
import { usePartTitle } from '../../../components/page-title.ts'
import { Banner, Pane, QueryResult } from '../../../components/pane.tsx'
import { CopyButton } from '../../../components/secret.tsx'
import { mayWrite } from '../../../data/session.ts'
import { deleteSource, rotateSource, type Source, updateSource, useSource } from '../../../data/sources.ts'
import { address, navigate, search, setParameters } from '../../../router.ts'
import { Forward } from './forward.tsx'
import { MapEditor } from './map-editor.tsx'
import { PROVIDERS } from './providers.ts'
import { SourceState } from './source-list.tsx'

/** A source: its URL, its map and its events. */
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
              <SourceUrl source={known} />
              <MapEditor key={known.id} source={known}>
                <Forward source={known} />
                {mayWrite.value && <SourceActions source={known} />}
              </MapEditor>
            </>
          )}
        </QueryResult>
      </Pane>
    </main>
  )
}

function countsText({ counts }: Source): string {
  const saved = counts.written + counts.updated
  return `${saved} saved, ${counts.unmapped} unmapped, ${counts.ignored} ignored, ${counts.rejected} rejected`
}

/** The URL, and instructions for the service. */
function SourceUrl({ source }: { source: Source }) {
  const { url, provider } = source
  const { where, secretBy, secret } = PROVIDERS[provider]
  const setup = search.value.get('setup')
  return (
    <section class="section" aria-label="URL">
      <div class="address-line">
        <label for="source-url">URL</label>
        <input
          class="input code"
          id="source-url"
          readOnly
          value={url ?? 'only shown to members who can write'}
          onFocus={({ currentTarget }) => currentTarget.select()}
        />
        {url !== null && <CopyButton text={url} kind={setup ? 'main' : 'quiet'} />}
      </div>
      {setup && (
        <Banner>
          <p>
            <strong>Paste the URL into {where}.</strong>
            {setup === 'secret' && secretBy === 'service' && ` Then enter the ${secret} below.`}
          </p>
        </Banner>
      )}
      {mayWrite.value && secretBy !== 'none' && <NewSecret source={source} isOpen={setup === 'secret'} />}
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
        <Field label={`New ${secret}`} name="secret" required autocomplete="off" error={refusal.value} />
        <Button type="submit" disabled={isRunning.value}>
          Save secret
        </Button>
      </form>
    </details>
  )
}

function SourceActions({ source: { id, name, enabled } }: { source: Source }) {
  const { run, isRunning, refusal } = useAction((act: () => Promise<void>) => act())
  const askToDelete = () =>
    confirm({
      title: `Delete ${name}`,
      consequence: 'The URL stops working and its stored events are deleted. The rows stay.',
      action: 'Delete source',
      word: name,
      act: async () => {
        await deleteSource(id)
        navigate(address(['webhooks', 'in']), { replace: true })
      },
    })
  const askToReplace = () =>
    confirm({
      title: `Replace the URL of ${name}`,
      consequence: 'The old URL stops working at once. Enter the new one in the service.',
      action: 'Replace URL',
      act: () => rotateSource(id),
    })
  return (
    <section class="section" aria-label="Disable or delete">
      <p class="actions">
        <Button
          disabled={isRunning.value}
          onClick={() => void run(() => updateSource(id, { enabled: !enabled }))}
        >
          {enabled ? 'Disable' : 'Enable'}
        </Button>
        <Button onClick={() => void askToReplace()}>Replace URL</Button>
        <Button kind="danger" onClick={() => void askToDelete()}>
          Delete…
        </Button>
      </p>
      <p class="dim">
        A disabled source stores events without writing rows or passing them on. Replacing the URL turns off
        the old one.
      </p>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </section>
  )
}
