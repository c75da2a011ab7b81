import type Sigma from 'sigma'
import type { Settings } from 'sigma/settings'

type DrawLabel = Parameters<NonNullable<Settings['defaultDrawNodeLabel']>>

interface Box {
  readonly left: number
  readonly top: number
  readonly right: number
  readonly bottom: number
}

const overlap = (one: Box, other: Box): boolean =>
  one.left < other.right && one.right > other.left && one.top < other.bottom && one.bottom > other.top

const boxAround = (x: number, y: number, width: number, height: number): Box => ({
  left: x - width / 2,
  top: y - height / 2,
  right: x + width / 2,
  bottom: y + height / 2,
})

const GAP = 5

/** The boxes of the nodes on the screen, by node key. */
function boxesOf(sigma: Sigma): Map<string, Box> {
  const boxes = new Map<string, Box>()
  sigma.getGraph().forEachNode((key) => {
    const data = sigma.getNodeDisplayData(key)
    if (!data || data.hidden) return
    const { x, y } = sigma.framedGraphToViewport(data)
    const size = 2 * sigma.scaleSize(data.size)
    boxes.set(key, boxAround(x, y, size, size))
  })
  return boxes
}

/**
 * Draws labels that overlap neither each other nor other nodes: right of their own node, else left, below or above it. A
 * label without room is omitted, unless it is forced.
 */
export function separateLabels(ground: string, find: () => Sigma | undefined) {
  let labels: Box[] = []
  let nodes: Map<string, Box> | undefined
  const isFree = (key: unknown) => (box: Box) =>
    !labels.some((other) => overlap(box, other)) &&
    !nodes?.entries().some(([other, taken]) => other !== key && overlap(box, taken))
  return {
    begin: () => {
      labels = []
      nodes = undefined
    },
    draw: (...[context, data, settings]: DrawLabel) => {
      const { label, x, y, size } = data
      if (!label) return
      const sigma = find()
      nodes ??= sigma && boxesOf(sigma)
      context.font = `${settings.labelWeight} ${settings.labelSize}px ${settings.labelFont}`
      const [width, height] = [context.measureText(label).width + 4, settings.labelSize * 1.4]
      const [aside, below] = [size + GAP + width / 2, size + GAP + height / 2]
      const places = [
        boxAround(x + aside, y, width, height),
        boxAround(x - aside, y, width, height),
        boxAround(x, y + below, width, height),
        boxAround(x, y - below, width, height),
      ]
      const place = places.find(isFree(data.key)) ?? (data.forceLabel ? places[0] : undefined)
      if (!place) return
      labels.push(place)
      // Covers the edges behind the letters.
      context.fillStyle = ground
      context.fillRect(place.left, place.top, width, height)
      context.fillStyle = settings.labelColor.color ?? '#000'
      context.fillText(label, place.left + 2, place.top + height / 2 + settings.labelSize / 3)
    },
  }
}
