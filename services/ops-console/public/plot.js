import { element, shape } from './dom.js'
import { count } from './format.js'

const width = 300
const height = 60

/** Returns a small plot of one value a minute, oldest first, with a text for screen readers that says the same. */
export function plot({ label, values }) {
  const most = Math.max(1, ...values)
  const step = width / values.length
  const sum = values.reduce((total, value) => total + value, 0)
  const text = `${label} in the last ${values.length} minutes: ${count(sum)}; most in a minute ${count(Math.max(0, ...values))}; in the last full minute ${count(values.at(-2) ?? 0)}.`
  const bars = values.map((value, index) => {
    const tall = value === 0 ? 0 : Math.max(1, (value / most) * (height - 2))
    return shape('rect', {
      x: (index * step).toFixed(2),
      y: (height - tall).toFixed(2),
      width: Math.max(1, step - 1).toFixed(2),
      height: tall.toFixed(2),
    })
  })
  return element(
    'figure',
    {},
    element('figcaption', {}, text),
    shape(
      'svg',
      {
        viewBox: `0 0 ${width} ${height}`,
        'aria-hidden': 'true',
        preserveAspectRatio: 'none',
      },
      shape('line', { x1: 0, x2: width, y1: height - 0.5, y2: height - 0.5 }),
      bars,
    ),
  )
}
