// The country of numbers, shared by every dialog of this screen.
import { CountryChoice } from '../../parts/number/country.svelte'

export const country = new CountryChoice()
