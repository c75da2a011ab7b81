import { useState } from 'preact/hooks'
import { Button } from '../../components/form.tsx'
import { Icon } from '../../components/icon.tsx'
import { Pane } from '../../components/pane.tsx'
import { noteAddress } from '../../data/addresses.ts'
import { counted, formatNumber } from '../../data/formats.ts'
import { address, search as parameters, setParameters } from '../../router.ts'
import type { Graph, GraphNode } from './data.ts'

const PAGE = 200

const selectAddress = (id: string) =>
  address(['graph'], { ...Object.fromEntries(parameters.value), node: id, list: '1' })

const description = ({ kind, degree }: GraphNode) => {
  if (kind === 'dangling') return 'note does not exist yet'
  const links = counted(degree, 'link')
  return kind === 'tag' ? `tag, ${links}` : links
}

function Nodes({ nodes, selected }: { nodes: readonly GraphNode[]; selected?: string | undefined }) {
  return (
    <ul class="plain">
      {nodes.map((node) => (
        <li key={node.id}>
          <a
            class={node.kind === 'note' ? undefined : 'dim'}
            href={selectAddress(node.id)}
            aria-current={node.id === selected ? 'true' : undefined}
          >
            {node.title}
          </a>
          <small>{description(node)}</small>
        </li>
      ))}
    </ul>
  )
}

/** The graph as a list: the neighbours of the selected node, and all nodes. */
export function NodeList({ graph, selected }: { graph: Graph; selected: string | undefined }) {
  const text = parameters.value.get('find') ?? ''
  const [count, setCount] = useState(PAGE)
  const byId = new Map(graph.nodes.map((node) => [node.id, node]))
  const node = byId.get(selected ?? '')
  const neighbours = (of: 'to' | 'from') =>
    graph.edges
      .filter((edge) => edge[of === 'to' ? 'from' : 'to'] === selected)
      .flatMap((edge) => byId.get(edge[of]) ?? [])
  const [to, from] = [neighbours('to'), neighbours('from')]
  const query = text.trim().toLowerCase()
  const matching = graph.nodes.filter(({ title }) => title.toLowerCase().includes(query))
  return (
    <Pane kind="side" label="The graph as a list">
      <header class="bar">
        <a
          class="button quiet icon-only narrow"
          aria-label="Back to the graph"
          href={address(['graph'], { ...Object.fromEntries(parameters.value), list: undefined })}
        >
          <Icon name="back" />
        </a>
        <h2 class="cut">{node ? node.title : 'Nodes'}</h2>
        <span class="grow" />
        {node?.kind === 'note' && (
          <a class="button" href={noteAddress(node.id)}>
            Open
          </a>
        )}
      </header>
      {node && to.length > 0 && (
        <section class="section">
          <h3>
            Links to <small>{formatNumber(to.length)}</small>
          </h3>
          <Nodes nodes={to} />
        </section>
      )}
      {node && from.length > 0 && (
        <section class="section">
          <h3>
            Linked from <small>{formatNumber(from.length)}</small>
          </h3>
          <Nodes nodes={from} />
        </section>
      )}
      <section class="section">
        <header>
          <h3>All {formatNumber(graph.nodes.length)}, most links first</h3>
        </header>
        <search class="search-field">
          <Icon name="search" />
          <input
            class="input"
            type="search"
            aria-label="Find in this graph"
            placeholder="Find in this graph"
            value={text}
            onInput={({ currentTarget }) => setParameters({ find: currentTarget.value }, { replace: true })}
          />
        </search>
        <Nodes nodes={matching.slice(0, count)} selected={selected} />
        {matching.length > count && (
          <Button kind="quiet" onClick={() => setCount(count + PAGE)}>
            Show {formatNumber(matching.length - count)} more
          </Button>
        )}
      </section>
    </Pane>
  )
}
