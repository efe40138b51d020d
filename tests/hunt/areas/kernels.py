def subjects():
    return []
