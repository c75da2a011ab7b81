import uPlot from 'uplot'

const HEIGHT_PX = 72
/** Room for the halves of the first and last label outside the plot. */
const LABEL_HALF_PX = 32

const colour = (element: Element, name: string): string => getComputedStyle(element).getPropertyValue(name)

export interface Labelled {
  readonly label: string
  readonly value: number
}

/** Draws bars into an element at its full width. Returns a function that removes them. */
export function plot(element: HTMLElement, shown: readonly Labelled[]): () => void {
  const probe = document.createElement('span')
  probe.className = 'bar-colour'
  element.append(probe)
  const fill = colour(probe, 'color')
  const ink = colour(probe, 'border-top-color')
  probe.remove()
  const barPaths = uPlot.paths.bars?.({ size: [0.8, 60], gap: 1 })
  const chart = new uPlot(
    {
      width: Math.max(120, element.clientWidth),
      height: HEIGHT_PX,
      legend: { show: false },
      cursor: { show: false },
      padding: [4, LABEL_HALF_PX, 0, LABEL_HALF_PX],
      scales: {
        x: { time: false, range: [-0.5, shown.length - 0.5] },
        y: { range: (_, low, high) => [Math.min(0, low), Math.max(0, high)] },
      },
      axes: [
        {
          stroke: ink,
          size: 20,
          grid: { show: false },
          ticks: { show: false },
          font: '11px system-ui',
          values: (_, splits) =>
            splits.map((index) => (Number.isInteger(index) ? (shown[index]?.label ?? '') : '')),
          space: 90,
        },
        { show: false },
      ],
      series: [{}, { fill, width: 0, ...(barPaths && { paths: barPaths }), points: { show: false } }],
    },
    [shown.map((_, index) => index), shown.map(({ value }) => value)],
    element,
  )
  const observer = new ResizeObserver(() =>
    chart.setSize({ width: Math.max(120, element.clientWidth), height: HEIGHT_PX }),
  )
  observer.observe(element)
  return () => {
    observer.disconnect()
    chart.destroy()
  }
}
