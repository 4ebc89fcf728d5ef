// n8n-core logs to the console unless told otherwise.
process.env.N8N_LOG_LEVEL = 'silent';
