export { unpublished as default } from '../eslint.strict.mjs';
