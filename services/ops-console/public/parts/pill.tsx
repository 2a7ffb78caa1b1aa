type PillProps = {
  name: string
  value: string
  options: readonly (readonly [value: string, text: string])[]
  onChange: (value: string) => void
}

/** A filter: its name, what it is set to, and a button that clears it. */
export function Pill({ name, value, options, onChange }: PillProps) {
  return (
    <span class={value ? 'filter' : 'filter add'}>
      <label>
        <span>{name}</span>
        <select
          aria-label={name}
          value={value}
          onChange={(event) => onChange(event.currentTarget.value)}
        >
          <option value="">Any</option>
          {/* what another page or an older address has set */}
          {value !== '' && !options.some(([key]) => key === value) && (
            <option value={value} selected>
              {value}
            </option>
          )}
          {options.map(([key, text]) => (
            <option value={key} selected={key === value}>
              {text}
            </option>
          ))}
        </select>
      </label>
      {value !== '' && (
        <button type="button" aria-label={`Any ${name.toLowerCase()}`} onClick={() => onChange('')}>
          ×
        </button>
      )}
    </span>
  )
}

type DayFieldProps = { name: string; label: string; value?: string | undefined }

/** A field for a day such as 2026-11-24. It belongs to a form, which reads it when it is submitted. */
export function DayField({ name, label, value = '' }: DayFieldProps) {
  return (
    <span class={value ? 'filter' : 'filter add'}>
      <label>
        <span>{label}</span>
        <input type="date" name={name} defaultValue={value} max="9999-12-31" />
      </label>
    </span>
  )
}
