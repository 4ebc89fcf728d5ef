// n8n's rules are for what is published. Those of this folder are in eslint.strict.mjs.
export default [{}];
