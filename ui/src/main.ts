// Where the page begins.
import './app/base.css'
import { mount } from 'svelte'
import App from './app/App.svelte'

const target = document.querySelector('#app')
if (target === null) throw new Error('BUG: index.html has no #app')
mount(App, { target })
