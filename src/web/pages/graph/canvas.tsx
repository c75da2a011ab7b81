import Graph from 'graphology'
import { useEffect, useRef, useState } from 'preact/hooks'
import Sigma from 'sigma'
import { Icon } from '../../components/icon.tsx'
import { hueOfTag, Tag } from '../../components/tag.tsx'
import type { GraphNode, Layout } from './data.ts'
import { separateLabels } from './labels.ts'

const MAX_SIZE = 12
/** In larger graphs, only nodes with many links have labels until the user zooms in. */
const LABELLED_NODES = 60

/** The colours of the style sheet as RGB, the only notation that Sigma reads. */
function colours(element: Element) {
  const probe = document.createElement('span')
  element.append(probe)
  const pixel = new OffscreenCanvas(1, 1).getContext('2d')
  const read = (name: string, hue = '') => {
    probe.className = hue
    probe.style.color = `var(--${name})`
    if (!pixel) return '#808080'
    pixel.fillStyle = getComputedStyle(probe).color
    pixel.fillRect(0, 0, 1, 1)
    const [red, green, blue] = pixel.getImageData(0, 0, 1, 1).data
    return `rgb(${red}, ${green}, ${blue})`
  }
  const hues = new Map(Array.from({ length: 10 }, (_, at) => [`hue-${at}`, read('dot', `hue-${at}`)]))
  const found = {
    hues,
    ground: read('ground'),
    ink: read('ink-3'),
    text: read('ink-2'),
    accent: read('accent'),
    edge: read('edge'),
  }
  probe.remove()
  return found
}

interface CanvasProps {
  readonly layout: Layout
  /** The tag that colours each note, by note ID. */
  readonly tags: ReadonlyMap<string, string>
  readonly selected: string | undefined
  readonly hasArrows: boolean
  readonly titles: string
  readonly onSelect: (id: string) => void
}

const sizeOf = ({ degree }: GraphNode) => Math.min(MAX_SIZE, 3 + Math.sqrt(degree) * 1.6)

/** The drawn graph; the list beside it has the same content. */
export function Canvas({ layout, tags, selected, hasArrows, titles, onSelect }: CanvasProps) {
  const container = useRef<HTMLDivElement>(null)
  const drawing = useRef<{ sigma: Sigma; graph: Graph } | undefined>(undefined)
  const latest = useRef({ selected, onSelect })
  latest.current = { selected, onSelect }
  const [canDraw, setCanDraw] = useState(true)
  const { graph: drawn } = layout
  const scheme = useScheme()

  useEffect(() => {
    const element = container.current
    if (!element) return
    const colour = colours(element)
    const labels = separateLabels(colour.ground, () => drawing.current?.sigma)
    const colourOf = ({ id, kind, title }: GraphNode) => {
      const tag = kind === 'tag' ? title : tags.get(id)
      return (tag && colour.hues.get(hueOfTag(tag))) ?? (kind === 'note' ? colour.ink : colour.edge)
    }
    const graph = new Graph({ multi: true })
    drawn.nodes.forEach((node, at) => {
      const [x, y] = [layout.positions[at * 2] ?? 0, layout.positions[at * 2 + 1] ?? 0]
      graph.addNode(node.id, {
        x,
        y,
        size: sizeOf(node),
        label: node.title,
        color: colourOf(node),
      })
    })
    for (const { from, to } of drawn.edges)
      if (graph.hasNode(from) && graph.hasNode(to)) graph.addEdge(from, to)
    try {
      const sigma = new Sigma(graph, element, {
        allowInvalidContainer: true,
        defaultEdgeType: hasArrows ? 'arrow' : 'line',
        defaultEdgeColor: colour.edge,
        labelColor: { color: colour.text },
        labelFont: getComputedStyle(element).fontFamily,
        labelSize: 12,
        labelDensity: 4,
        defaultDrawNodeLabel: labels.draw,
        renderLabels: titles !== 'never',
        labelRenderedSizeThreshold: titles === 'always' ? 0 : drawn.nodes.length > LABELLED_NODES ? 6.5 : 5,
        nodeReducer: (node, data) => {
          const chosen = latest.current.selected
          if (chosen === undefined || !graph.hasNode(chosen)) return data
          if (node === chosen) return { ...data, color: colour.accent, size: data.size + 3, forceLabel: true }
          return graph.areNeighbors(node, chosen) ? { ...data, color: colour.accent, forceLabel: true } : data
        },
        edgeReducer: (edge, data) =>
          latest.current.selected !== undefined && graph.hasExtremity(edge, latest.current.selected)
            ? { ...data, color: colour.accent, size: 2, zIndex: 1 }
            : data,
      })
      sigma.on('beforeRender', labels.begin)
      sigma.on('clickNode', ({ node }) => latest.current.onSelect(node))
      drawing.current = { sigma, graph }
      // Sigma drew its first frame before the nodes had positions.
      sigma.scheduleRender()
    } catch {
      setCanDraw(false)
    }
    return () => {
      drawing.current?.sigma.kill()
      drawing.current = undefined
    }
  }, [drawn, tags, hasArrows, titles, scheme])

  useEffect(() => {
    const graph = drawing.current?.graph
    if (!graph) return
    let at = 0
    graph.updateEachNodeAttributes((_, attributes) => {
      const [x, y] = [layout.positions[at * 2] ?? 0, layout.positions[at * 2 + 1] ?? 0]
      at += 1
      return { ...attributes, x, y }
    })
  }, [layout])
  useEffect(() => drawing.current?.sigma.refresh({ skipIndexation: true }) && undefined, [selected])

  const camera = () => drawing.current?.sigma.getCamera()
  const duration = matchMedia('(prefers-reduced-motion: reduce)').matches ? 0 : 200
  if (!canDraw)
    return <p class="list-end">This browser cannot draw the graph (it has no WebGL). Use the list instead.</p>
  return (
    <div class="canvas">
      <div
        class="map"
        ref={container}
        role="img"
        aria-label={`Graph of ${drawn.nodes.length} nodes and ${drawn.edges.length} edges. The list beside it has the same content.`}
      />
      <Legend nodes={drawn.nodes} tags={tags} />
      <div class="zoom">
        <button
          type="button"
          class="button icon-only"
          aria-label="Zoom in"
          onClick={() => void camera()?.animatedZoom({ duration })}
        >
          <Icon name="plus" />
        </button>
        <button
          type="button"
          class="button icon-only"
          aria-label="Zoom out"
          onClick={() => void camera()?.animatedUnzoom({ duration })}
        >
          <Icon name="minus" />
        </button>
        <button
          type="button"
          class="button icon-only"
          aria-label="Show all"
          onClick={() => void camera()?.animatedReset({ duration })}
        >
          <Icon name="fit" />
        </button>
      </div>
    </div>
  )
}

const MAX_TAGS = 8

/** The most frequent tags, by the first part of their names. */
function Legend({ nodes, tags }: { nodes: readonly GraphNode[]; tags: ReadonlyMap<string, string> }) {
  const counts = new Map<string, number>()
  for (const { id, kind, title } of nodes) {
    const [first] = (kind === 'tag' ? title : tags.get(id))?.split('/') ?? []
    if (first !== undefined) counts.set(first, (counts.get(first) ?? 0) + 1)
  }
  const most = [...counts].sort(([, one], [, other]) => other - one).slice(0, MAX_TAGS)
  if (most.length === 0) return null
  return (
    <ul class="legend" aria-label="Colours">
      {most.map(([name]) => (
        <li key={name}>
          <Tag name={name} />
        </li>
      ))}
    </ul>
  )
}

/** Whether the page is dark; changes with the system. */
function useScheme(): boolean {
  const [isDark, setDark] = useState(() => matchMedia('(prefers-color-scheme: dark)').matches)
  useEffect(() => {
    const query = matchMedia('(prefers-color-scheme: dark)')
    const change = () => setDark(query.matches)
    query.addEventListener('change', change)
    return () => query.removeEventListener('change', change)
  }, [])
  return isDark
}
