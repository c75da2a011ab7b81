import Graph from 'graphology'
import forceAtlas2 from 'graphology-layout-forceatlas2'
import type { LayoutRequest, LayoutResponse } from './layout.ts'

/** Iterations between two pictures of the layout. */
const STEP = 25
/** The layout is good enough after so many iterations, fewer for a large graph. */
const iterationsFor = (nodes: number): number => (nodes < 500 ? 400 : nodes < 2_000 ? 200 : 75)

function graphOf({ nodes, edges }: LayoutRequest): Graph {
  const graph = new Graph({ multi: true })
  nodes.forEach((node, at) => {
    // A spiral begins every layout, so that the same graph looks the same every time.
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
// The page waits for this before it sends the graph: until now a message would have been lost.
postMessage('ready')
