import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import type { LayoutRequest, LayoutResponse } from './layout.ts'

/** Iterations between two responses. */
const STEP = 25
/** Iterations after which the layout is good enough; fewer for large graphs, whose iterations take longer. */
const iterationsFor = (nodes: number): number => (nodes < 500 ? 400 : nodes < 2_000 ? 200 : 75)

function graphOf({ nodes, edges }: LayoutRequest): Graph {
  const graph = new Graph({ multi: true })
  nodes.forEach((node, at) => {
    // Every layout starts from the same spiral, so that the same graph always looks the same.
    const angle = at * 2.399963
    const radius = Math.sqrt(at + 1) * 10
    graph.addNode(node, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) })
  })
  for (const [from, to] of edges) graph.addEdge(nodes[from], nodes[to])
  return graph
}

function positionsOf(graph: Graph): Float32Array<ArrayBuffer> {
  const positions = new Float32Array(graph.order * 2)
  let at = 0
  graph.forEachNode((_, { x, y }) => {
    positions[at++] = x
    positions[at++] = y
  })
  return positions
}

addEventListener('message', ({ data }: MessageEvent<LayoutRequest>) => {
  const graph = graphOf(data)
  const settings = { ...forceAtlas2.inferSettings(graph), gravity: 1, barnesHutOptimize: graph.order > 500 }
  const total = iterationsFor(graph.order)
  for (let done = 0; done < total; done += STEP) {
    forceAtlas2.assign(graph, { iterations: STEP, settings })
    const response: LayoutResponse = { positions: positionsOf(graph), isDone: done + STEP >= total }
    postMessage(response)
  }
  close()
})
// The page sends the graph only after this message: an earlier one would be lost.
postMessage('ready')
