// Mounts the grid with the options of the address: colours, density, direction, zoom.
import { mount } from 'svelte'
import '../../../ui/src/app/style/tokens.css'
import '../../../ui/src/app/style/base.css'
import Page from './Page.svelte'

const query = new URLSearchParams(location.search)
const root = document.documentElement
for (const name of ['scheme', 'contrast', 'density', 'motion']) {
  const value = query.get(name)
  if (value !== null) root.dataset[name] = value
}
root.dir = query.get('dir') ?? 'ltr'
root.style.setProperty('--zoom', query.get('zoom') ?? '1')
mount(Page, { target: document.body })
document.body.classList.add('ready')
