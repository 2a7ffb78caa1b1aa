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
