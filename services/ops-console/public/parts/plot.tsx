import type { ComponentChildren } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import uPlot from 'uplot'
import { count } from './format.ts'
import { drawnRange, isZoomed } from './plot-range.ts'
import { stacked } from './stack.ts'

const height = 150
const axisSize = 44
const wideAxisSize = 54
const tick = 28

/** The colours of plots: the same meaning everywhere. */
export type Ink = 'in' | 'out' | 'work' | 'wait' | 'bad' | 'warn'

/** A null leaves a gap in a line. */
type Series = { name: string; ink: Ink; values: readonly (number | null)[] }

type PlotProps = {
  /** What the plot shows, for those who hear it. */
  label: string
  /** Seconds since 1970 for times, otherwise positions. */
  x: readonly number[]
  series: readonly Series[]
  /**
   * Bars of several series are drawn in front of each other, the first at the back. In a stack, the last is at the
   * foot.
   */
  kind: 'lines' | 'bars' | 'stack'
  /** The text of a position on the axis and under the pointer. */
  nameOf: (x: number) => string
  /** The text of a value on the axis and under the pointer. */
  amountOf?: (y: number) => string
  /** The list behind a bar. */
  pathOf?: (index: number) => string | undefined
}

/**
 * A plot with axes. Pointing at it shows the values, dragging zooms in, and a double click zooms out. The legend
 * carries the numbers.
 */
export function Plot(shown: PlotProps) {
  const place = useRef<HTMLDivElement>(null)
  const drawn = useRef<uPlot | undefined>(undefined)
  const latest = useRef(shown)
  latest.current = shown

  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)')
    const draw = () => {
      drawn.current?.destroy()
      drawn.current = new uPlot(
        optionsOf(latest, place.current!),
        dataOf(latest.current),
        place.current!,
      )
    }
    draw()
    const resized = new ResizeObserver(
      () =>
        // the last size may be reported after the page was left
        place.current && drawn.current?.setSize({ width: place.current.clientWidth, height }),
    )
    resized.observe(place.current!)
    scheme.addEventListener('change', draw)
    return () => {
      scheme.removeEventListener('change', draw)
      resized.disconnect()
      drawn.current?.destroy()
    }
  }, [])
  useEffect(() => {
    const { current } = drawn
    if (!current) return
    // a reader who has zoomed in keeps the range
    const keepsRange = isZoomed(shown.kind, current.scales.x ?? {}, current.data[0])
    current.setData(dataOf(shown), !keepsRange)
    if (keepsRange) current.redraw()
  }, [JSON.stringify([shown.x, shown.series])])

  return <div ref={place} class="uplot-place" role="img" aria-label={shown.label} />
}

function dataOf({ x, series, kind }: PlotProps): uPlot.AlignedData {
  const values = series.map((each) => [...each.values])
  return [
    [...x],
    ...(kind === 'stack' ? stacked(values.map((each) => each.map((value) => value ?? 0))) : values),
  ] as uPlot.AlignedData
}

function optionsOf(latest: { current: PlotProps }, place: HTMLElement): uPlot.Options {
  const style = getComputedStyle(document.documentElement)
  const colour = (name: string) => style.getPropertyValue(name).trim()
  const { series, kind } = latest.current
  const axis: uPlot.Axis = {
    stroke: colour('--ink-3'),
    font: `11px ${style.getPropertyValue('--font')}`,
    ticks: { show: false },
    gap: 6,
  }
  const bars = uPlot.paths.bars!({ size: [0.7, 60], align: 0 })
  return {
    width: place.clientWidth,
    height,
    padding: [10, 18, 0, 0],
    legend: { show: false },
    cursor: { y: false, points: { show: kind === 'lines' } },
    scales: {
      x: { time: false, range: ({ data }, min, max) => drawnRange(kind, [min, max], data[0]) },
      y: { range: fromZero },
    },
    axes: [
      {
        ...axis,
        size: tick,
        grid: { show: false },
        space: 70,
        incrs: [1, 2, 5, 10, 12, 24, 60, 300, 600, 900, 1_800, 3_600, 21_600, 86_400],
        values: (_, splits) => splits.map((x) => latest.current.nameOf(x)),
      },
      {
        ...axis,
        size: latest.current.amountOf ? wideAxisSize : axisSize,
        grid: { stroke: colour('--grid'), width: 1 },
        space: 36,
        incrs: [1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 2e4, 5e4, 1e5, 1e6],
        values: (_, splits) => splits.map(latest.current.amountOf ?? briefCount),
      },
    ],
    series: [
      {},
      ...series.map(({ name, ink }): uPlot.Series => {
        const paint = colour(`--p-${ink}`)
        return kind === 'lines'
          ? {
              label: name,
              stroke: paint,
              width: 1.75,
              ...(ink === 'work' && { dash: [4, 3] }),
              points: { size: 4, width: 0, fill: paint, filter: betweenGaps },
            }
          : {
              label: name,
              stroke: paint,
              fill: paint,
              width: 0,
              paths: bars,
              points: { show: false },
            }
      }),
    ],
    plugins: [tipPlugin(latest), linkPlugin(latest)],
  }
}

function briefCount(value: number): string {
  return value >= 10_000 ? `${count(value / 1_000)}k` : count(value)
}

/** Returns the values that no line leads to: they are drawn as points. */
function betweenGaps({ data }: uPlot, index: number): number[] {
  const values = data[index]!
  return [...values.keys()].filter(
    (at) => values[at] != null && values[at - 1] == null && values[at + 1] == null,
  )
}

function fromZero(_: uPlot, __: number, max: number | null): [number, number] {
  return [0, Math.max(4, (max ?? 0) * 1.1)]
}

/** Shows the values under the pointer. */
function tipPlugin(latest: { current: PlotProps }): uPlot.Plugin {
  const tip = document.createElement('div')
  tip.className = 'tip'
  tip.hidden = true
  return {
    hooks: {
      init: (drawn) => drawn.over.append(tip),
      setCursor: ({ cursor: { idx, left = 0 }, over }) => {
        const { x, series, nameOf, amountOf = count } = latest.current
        tip.hidden = idx === null || idx === undefined || left < 0
        if (tip.hidden) return
        const lines = series.map(({ name, values }) => {
          const value = values[idx!] ?? null
          return `${value === null ? '–' : amountOf(value)} ${name.toLowerCase()}`
        })
        tip.textContent = [nameOf(x[idx!]!), ...lines].join('\n')
        tip.style.left = `${Math.min(left + 8, over.clientWidth - tip.offsetWidth)}px`
      },
    },
  }
}

/** Opens the list behind the bar that is clicked. A drag zooms instead. */
function linkPlugin(latest: { current: PlotProps }): uPlot.Plugin {
  return {
    hooks: {
      init: (drawn) => {
        if (!latest.current.pathOf) return
        drawn.over.classList.add('leads-on')
        drawn.over.addEventListener('click', () => {
          const { idx } = drawn.cursor
          const path = typeof idx === 'number' ? latest.current.pathOf?.(idx) : undefined
          if (path && drawn.select.width === 0) location.assign(path)
        })
      },
    },
  }
}

type LegendProps = {
  entries: readonly {
    name: string
    ink: Ink
    value: number | string
    path?: string | undefined
    isLine?: boolean
  }[]
  children?: ComponentChildren
}

/** The legend of a plot or a stacked bar: it carries the numbers. */
export function Legend({ entries, children }: LegendProps) {
  return (
    <div class="legend">
      {entries.map(({ name, ink, value, path, isLine }) => {
        const text = (
          <>
            <span class={`key ${shadeOf(ink)}${isLine ? ' line' : ''}`} />
            {name}{' '}
            <b class={ink === 'bad' && value !== 0 ? 'bad' : ''}>
              {typeof value === 'number' ? count(value) : value}
            </b>
          </>
        )
        return path ? <a href={path}>{text}</a> : <span>{text}</span>
      })}
      {children}
    </div>
  )
}

type StackedBarProps = { parts: readonly { name: string; ink: Ink; value: number }[] }

/** A stacked bar. Empty parts are left out. */
export function StackedBar({ parts }: StackedBarProps) {
  const label = parts.map(({ name, value }) => `${count(value)} ${name.toLowerCase()}`).join(', ')
  return (
    <div class="bar tall" role="img" aria-label={label}>
      {parts
        .filter(({ value }) => value > 0)
        .map(({ ink, value }) => (
          <span class={shadeOf(ink)} style={{ flex: value }} />
        ))}
    </div>
  )
}

/** Returns the class of an ink in bars and legends. */
function shadeOf(ink: Ink): string {
  return ink === 'bad' || ink === 'warn' ? `${ink}-s` : ink
}

type MeterProps = { part: number; all: number; name: string; tone?: 'ok' | 'warn' | 'bad' | '' }

/** A bar of how much of something is used. */
export function Meter({ part, all, name, tone = '' }: MeterProps) {
  const share = all === 0 ? 0 : Math.min(100, (100 * part) / all)
  return (
    <span
      class={tone ? `meter ${tone}-m` : 'meter'}
      role="img"
      aria-label={`${name}: ${Math.round(share)}%`}
    >
      <span style={{ width: `${share}%` }} />
    </span>
  )
}
