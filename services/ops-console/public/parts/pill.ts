import { h, type JSX } from 'preact'

/** Returns a filter: its name, what it is set to, and a button that clears it. */
export function pill(
  name: string,
  value: string,
  options: readonly (readonly [value: string, text: string])[],
  onChange: (value: string) => void,
): JSX.Element {
  return h(
    'span',
    { class: value ? 'filter' : 'filter add' },
    h(
      'label',
      {},
      h('span', {}, name),
      h(
        'select',
        {
          'aria-label': name,
          value,
          onChange: (event: Event) => onChange((event.currentTarget as HTMLSelectElement).value),
        },
        h('option', { value: '' }, 'Any'),
        // what another page or an older address has set
        value !== '' &&
          !options.some(([key]) => key === value) &&
          h('option', { value, selected: true }, value),
        options.map(([key, text]) => h('option', { value: key, selected: key === value }, text)),
      ),
    ),
    value !== '' &&
      h(
        'button',
        { type: 'button', 'aria-label': `Any ${name.toLowerCase()}`, onClick: () => onChange('') },
        '×',
      ),
  )
}

/** Returns a field for a day such as 2026-11-24. It belongs to a form, which reads it when it is submitted. */
export function dayField(name: string, label: string, value = ''): JSX.Element {
  return h(
    'span',
    { class: value ? 'filter' : 'filter add' },
    h(
      'label',
      {},
      h('span', {}, label),
      h('input', { type: 'date', name, defaultValue: value, max: '9999-12-31' }),
    ),
  )
}
