import { useMemo } from 'preact/hooks'
import { ErrorText, useAction } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { useKeys } from '../../components/keys.tsx'
import { Empty, Loading, Pane, QueryError } from '../../components/pane.tsx'
import { noteAddress } from '../../data/addresses.ts'
import { api } from '../../data/api.ts'
import { formatNumber } from '../../data/formats.ts'
import { mayWriteNotes } from '../../data/session.ts'
import { address, navigate, search, setParameters } from '../../router.ts'
import { addStyles } from '../../styles/add-styles.ts'
import styles from '../../styles/graph.css' with { type: 'text' }
import { Canvas } from './canvas.tsx'
import { type Graph, useGraph, useLayout, useLenses, useTagsOfNotes } from './data.ts'
import { NodeList } from './list.tsx'

addStyles(styles)

const parameter = (name: string): string | undefined => search.value.get(name) ?? undefined

type Lens = NonNullable<ReturnType<typeof useLenses>['data']>['lenses'][number]

const useLens = () => {
  const { data } = useLenses()
  const id = parameter('lens')
  return {
    isKnown: data !== undefined,
    lenses: data?.lenses ?? [],
    lens: data?.lenses.find((one) => (id === undefined ? one.is_default : one.id === id)),
  }
}

const NO_TAGS: ReadonlyMap<string, string> = new Map()

const LAYERS = [
  ['layers', 'links', 'Links'],
  ['layers', 'tags', 'Tags'],
  ['nodes', 'orphans', 'Notes without links'],
  ['nodes', 'dangling', 'Links to notes that don’t exist'],
] as const

/** The layers of the lens; changes are saved in the lens. */
function Layers({ lens }: { lens: Lens | undefined }) {
  const { run, refusal, isRunning } = useAction((id: string, group: string, key: string, isOn: boolean) =>
    api.patch('/v1/lenses/{id}', { params: { id }, body: { settings: { [group]: { [key]: isOn } } } }),
  )
  if (!lens || !mayWriteNotes.value) return null
  return (
    <>
      {LAYERS.map(([group, key, title]) => (
        <label class="check" key={key}>
          <input
            type="checkbox"
            checked={(lens.settings[group] as Record<string, boolean>)[key] === true}
            disabled={isRunning.value}
            onChange={({ currentTarget }) => void run(lens.id, group, key, currentTarget.checked)}
          />
          {title}
        </label>
      ))}
      <a class="button quiet" href={address(['views', 'lenses', lens.id])}>
        Edit lens
      </a>
      {refusal.value !== undefined && <ErrorText>{refusal.value}</ErrorText>}
    </>
  )
}

const LensSelect = ({ lenses, lens }: { lenses: readonly Lens[]; lens: Lens | undefined }) => (
  <select
    class="input"
    aria-label="Lens"
    value={lens?.id ?? ''}
    onChange={({ currentTarget }) => navigate(address(['graph'], { lens: currentTarget.value }))}
  >
    {lens === undefined && <option value="">Whole workspace</option>}
    {lenses.map(({ id, name }) => (
      <option key={id} value={id} selected={id === lens?.id}>
        {name}
      </option>
    ))}
  </select>
)

/** Selects the next or previous node, in the order of the list. */
function selectNeighbour(graph: Graph | undefined, by: number): void {
  if (!graph || graph.nodes.length === 0) return
  const at = graph.nodes.findIndex(({ id }) => id === parameter('node'))
  const next = graph.nodes[(at + by + graph.nodes.length) % graph.nodes.length]
  setParameters({ node: next?.id }, { replace: true })
}

export function Main() {
  const { lenses, lens } = useLens()
  const { data: graph, error } = useGraph(parameter('lens'))
  const layout = useLayout(graph)
  const { data: tags } = useTagsOfNotes()
  const selected = parameter('node')
  useKeys(
    'Graph',
    useMemo(
      () => [
        { keys: ['j'], does: 'next note', run: () => selectNeighbour(graph, 1) },
        { keys: ['k'], does: 'previous note', run: () => selectNeighbour(graph, -1) },
        {
          keys: ['o'],
          does: 'open the selected note',
          run: () => {
            const node = graph?.nodes.find(({ id }) => id === parameter('node'))
            if (node?.kind === 'note') navigate(noteAddress(node.id))
          },
        },
      ],
      [graph],
    ),
  )
  const isEmpty = graph?.nodes.length === 0
  return (
    <main id="main" class="graph-screen" data-show={parameter('list') === undefined ? 'content' : 'side'}>
      <h1 class="visually-hidden">Graph</h1>
      <Pane kind="content" label="Graph">
        <header class="bar">
          <h2 class="cut">{lens?.name ?? 'Whole workspace'}</h2>
          {graph && (
            <small>{`${formatNumber(graph.nodes.length)} nodes, ${formatNumber(graph.edges.length)} edges${graph.truncated ? ' (the best connected)' : ''}`}</small>
          )}
          <span class="grow" />
          <button
            type="button"
            class="button quiet icon-only narrow"
            aria-label="Show as a list"
            onClick={() => setParameters({ list: '1' })}
          >
            <Icon name="side" />
          </button>
        </header>
        {(lenses.length > 1 || mayWriteNotes.value) && (
          <div class="tools wraps">
            {lenses.length > 0 && <LensSelect lenses={lenses} lens={lens} />}
            <Layers lens={lens} />
            {mayWriteNotes.value && (
              <a class="button quiet" href={address(['views', 'lenses', 'new'])}>
                <Icon name="plus" />
                New lens
              </a>
            )}
          </div>
        )}
        {error && !graph && <QueryError error={error} />}
        {!graph && !error && <Loading />}
        {isEmpty && (
          <Empty>
            <p>No notes match this lens. Notes that link to each other with [[…]] appear here.</p>
          </Empty>
        )}
        {layout && (
          <Canvas
            layout={layout}
            tags={tags ?? NO_TAGS}
            selected={selected}
            hasArrows={lens?.settings.look.arrows ?? true}
            titles={lens?.settings.look.titles ?? 'zoom'}
            onSelect={(node) => setParameters({ node })}
          />
        )}
        <p class="foot">
          <span role="status">
            {layout?.ms === undefined
              ? !graph || isEmpty
                ? ''
                : 'Laying out…'
              : `Laid out in ${(layout.ms / 1_000).toFixed(1)} s`}
          </span>
          <span class="keys" aria-hidden="true">
            <span>
              <kbd>J</kbd> <kbd>K</kbd> next, previous
            </span>
            <span>
              <kbd>O</kbd> open
            </span>
          </span>
        </p>
      </Pane>
      {graph && <NodeList graph={graph} selected={selected} />}
    </main>
  )
}
