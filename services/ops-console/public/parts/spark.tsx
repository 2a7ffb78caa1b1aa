import { sparkHeight, sparkPath, sparkWidth } from './spark-path.ts'

type SparkProps = {
  shares: readonly (number | null)[]
  name: string
  tone: 'ok' | 'warn' | 'bad' | ''
}

/** A small line of shares without axes. Null leaves a gap. */
export function Spark({ shares, name, tone }: SparkProps) {
  return (
    <svg
      class={`spark ${tone}`}
      viewBox={`0 0 ${sparkWidth} ${sparkHeight}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={name}
    >
      <path d={sparkPath(shares)} />
    </svg>
  )
}
